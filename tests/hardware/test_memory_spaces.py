"""The table of memories: complete for every architecture, and right where the documents say so."""

from __future__ import annotations

import pytest

from warplint.analyzer.hardware.architectures import known_architectures
from warplint.analyzer.hardware.memory_spaces import memory_space, space_names
from warplint.analyzer.ir.memory import Space

CAPABILITIES = [item.capability for item in known_architectures()]


@pytest.mark.parametrize("name", space_names())
def test_every_memory_has_a_row_for_every_architecture(name: str) -> None:
    for capability in CAPABILITIES:
        row = memory_space(name, capability)
        assert row.name == name
        assert all(row.sources)
        assert "" not in (row.located, row.cached, row.access, row.host_access, row.scope)


def test_every_state_space_of_the_ir_is_in_the_table() -> None:
    assert {space.value for space in Space} <= set(space_names())


@pytest.mark.parametrize(
    ("name", "cached"),
    [
        ("global", {13: "no", 20: "yes (L1 and L2)", 30: "yes (L2)", 90: "yes (L1 and L2)"}),
        ("local", {13: "no", 20: "yes (L1 and L2)", 35: "yes (L1 and L2)", 52: "yes (L2)"}),
        ("constant", {10: "yes (constant cache)", 120: "yes (constant cache)"}),
        ("register", {10: "n/a", 121: "n/a"}),
        ("shared", {10: "n/a", 121: "n/a"}),
    ],
)
def test_caching_depends_on_the_architecture(name: str, cached: dict[int, str]) -> None:
    assert {capability: memory_space(name, capability).cached for capability in cached} == cached


def test_only_the_large_pascal_caches_global_loads_in_l1_by_itself() -> None:
    assert memory_space("global", 60).cached == "yes (L1 and L2)"
    assert memory_space("global", 61).cached.startswith("yes (L2; L1 on request")


def test_parameters_moved_from_shared_to_constant_memory() -> None:
    assert memory_space("param", 13).located == "on-chip (shared memory)"
    assert memory_space("param", 20).cached == "yes (constant cache)"


@pytest.mark.parametrize(
    ("name", "last_without", "first_with"),
    [("shared::cluster", 89, 90), ("managed", 21, 30), ("surface", 13, 20)],
)
def test_memories_that_came_later(name: str, last_without: int, first_with: int) -> None:
    assert not memory_space(name, last_without).available
    assert memory_space(name, first_with).available
    assert memory_space(name, last_without).cached == memory_space(name, first_with).cached
