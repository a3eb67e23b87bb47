"""The accesses that can conflict at all."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import kernel

from warplint.analyzer.analyses.conflicts.tracked_accesses import Tracked


def tracked(body: str) -> Tracked:
    return Tracked(kernel(body).launches[0])


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("out[t] = in[t];", ["out[t]"]),
        ("s[t] = 1; out[t] = s[t];", ["s[t]", "s[t]", "out[t]"]),
        ("int l[4]; l[n & 3] = 1; out[t] = l[0];", ["out[t]"]),
        ("out[t] = out[t + 1];", ["out[t + 1]", "out[t]"]),
        ("out[0] = s[t];", ["out[0]"]),  # nobody writes s
    ],
)
def test_memory_that_threads_share_and_somebody_writes(body: str, names: list[str]) -> None:
    assert sorted(each.name for each in tracked(body).accesses) == sorted(names)


def test_pairs_that_may_conflict() -> None:
    found = tracked("s[t] = 1; out[t] = s[t]; atomicAdd(&s[0], 1);")
    store, load, atomic = (each for each in found.accesses if each.name[0] != "o")
    assert found.may_conflict(store, load)
    assert found.may_conflict(load, atomic)
    assert not found.may_conflict(load, load)
    assert not found.may_conflict(atomic, atomic)


def test_the_unit_that_all_are_made_of() -> None:
    assert tracked("s[t] = 1; ((double *)s)[t / 2] = 1;").unit == 4
    assert tracked("((short *)s)[t] = 1; s[t] = 2;").unit == 2


@pytest.mark.parametrize(
    ("body", "changes"),
    [
        ("out[t] = s[t]; s[n] = 1;", True),
        ("out[t] = s[2 * t]; s[2 * n + 1] = 1;", False),  # another part
        ("out[t] = in[t];", False),
    ],
)
def test_loads_that_a_store_may_change(body: str, *, changes: bool) -> None:
    found = tracked(body)
    load = next(each for each in found.launch.facts.accesses if each.reads)
    assert found.may_change(load) is changes


@pytest.mark.parametrize(
    ("body", "bins", "anywhere"),
    [
        ("atomicAdd(&s[in[t] & 255], 1);", True, True),
        ("s[in[t] & 255] = 1;", False, True),
        ("s[in[n] & 255] = 1;", False, True),
        ("s[t] = 1;", False, False),
        ("s[(int)(t * 0.5f)] = 1;", False, True),
    ],
)
def test_indices_that_are_data(body: str, *, bins: bool, anywhere: bool) -> None:
    found = tracked(body)
    access = next(each for each in found.launch.facts.accesses if "s[" in each.name)
    assert found.goes_to_bins(access) is bins
    assert (found.object_anywhere(access) is not None) is anywhere


def test_decisions_that_part_threads() -> None:
    found = tracked("if (t < 3) s[t] = 1; if (n > 3) s[t + 1] = 2;")
    assert [found.parts_threads(each) for each in found.accesses] == [True, False]
