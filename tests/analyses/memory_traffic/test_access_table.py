"""Atomics in shared memory that the compiler makes a loop of: a load comes with each."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.memory_traffic.access_table import counted_accesses
from warplint.analyzer.analyses.memory_traffic.shared_accesses import SharedAccess, becomes_loop
from warplint.analyzer.ir.operations import AccessKind

INDEX = "threadIdx.x * 2 % 64"


def degrees(type: str, call: str) -> list[tuple[str, float]]:
    """What the accesses to shared memory are, and their degrees."""
    text = f"__global__ void k({type} v) {{ __shared__ {type} s[64]; {call}; }}"
    found = []
    for row in counted_accesses(facts_of(text, (32, 1, 1), (1, 1, 1)).launches[0]):
        assert row.shared is not None
        assert isinstance(row.shared.outcome, SharedAccess)
        loop = becomes_loop(row.access) or row.access.kind is AccessKind.LOAD
        assert (row.shared.totals is None) == loop
        assert ("depends on the order of the lanes" in row.shared.reason) == loop
        found.append((row.access.kind.value, row.shared.outcome.degree))
    return found


@pytest.mark.parametrize(
    ("type", "call"),
    [
        ("float", f"atomicAdd(&s[{INDEX}], v)"),
        ("double", f"atomicAdd(&s[{INDEX}], v)"),
        ("unsigned long long", f"atomicMax(&s[{INDEX}], v)"),
    ],
)
def test_a_loop_loads_first(type: str, call: str) -> None:
    kinds = degrees(type, call)
    assert [kind for kind, _ in kinds] == ["atomic", "load"]
    assert kinds[1][1] == 2.0  # 32 lanes, every other element


@pytest.mark.parametrize(
    ("type", "call"),
    [
        ("int", f"atomicAdd(&s[{INDEX}], v)"),
        ("float", f"atomicExch(&s[{INDEX}], v)"),
        ("unsigned long long", f"atomicExch(&s[{INDEX}], v)"),
        ("unsigned long long", f"atomicCAS(&s[{INDEX}], v, v + 1)"),
    ],
)
def test_what_the_hardware_does_itself_loads_nothing(type: str, call: str) -> None:
    assert [kind for kind, _ in degrees(type, call)] == ["atomic"]
