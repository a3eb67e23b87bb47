"""Lanes whose distances are known: against the same index with random data in each lane."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.ir.operations import AccessKind

if TYPE_CHECKING:
    from warplint.analyzer.analyses.warp_evaluation.lane_groups import LaneGroups

PARAMETERS = "int *p, const long long *q, const double *d, int n, int m"
LANES = range(32)


@cache
def groups(body: str) -> LaneGroups:
    """The groups of the place where the last store of a kernel is made, in bytes."""
    facts = body_facts(f"int t = threadIdx.x; {body}", parameters=PARAMETERS)
    stores = [each for each in facts.accesses if each.kind is AccessKind.STORE]
    last = max(stores, key=lambda each: each.location.span.start)
    assert last.block is not None
    return facts.launches[0].groups(0).value_in(last.block, last.address)


def of_index(index: str) -> LaneGroups:
    return groups(f"p[{index}] = 1;")


def together(found: LaneGroups) -> list[set[int]]:
    """The lanes with known distances."""
    lanes: dict[int, set[int]] = {}
    for lane in LANES:
        lanes.setdefault(found.keys[lane], set()).add(lane)
    return list(lanes.values())


def alike(found: LaneGroups) -> int:
    """How many different places there are at most."""
    return len(set(found.lanes))


class Data:
    """What is stored at each place: the same whenever it is loaded."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __getitem__(self, place: int) -> int:
        return Random(self._seed * 1_000_003 + place).randrange(1 << 20)


leaves = st.sampled_from(["t", "t / 8", "t % 8", "t & 3", "(t ^ 5)", "n", "m", "7"])
steps = st.sampled_from(
    ["({} + {})", "({} * 3 + {})", "(q[{}] + {})", "(q[{}] / 16 + {})", "({} % 64 + {} * n)"]
)


@st.composite
def indices(draw: st.DrawFn) -> str:
    index = draw(leaves)
    for step in draw(st.lists(steps, min_size=1, max_size=3)):
        parts = [index, draw(leaves)]
        index = step.format(*(parts if draw(st.booleans()) else reversed(parts)))
    return f"{index} - {draw(leaves)}" if draw(st.booleans()) else index


@settings(max_examples=150, deadline=None)
@given(indices(), st.integers(1, 500), st.integers(0, 500), st.integers(0, 1000))
def test_lanes_of_one_group_are_where_they_are_said_to_be(
    index: str, n: int, m: int, seed: int
) -> None:
    found = of_index(index)
    text = index.replace("/", "//")
    places = [eval(text, {"t": t, "n": n, "m": m, "q": Data(seed)}) for t in LANES]
    bases = {(found.keys[t], places[t] * 4 - found.numbers[t]) for t in LANES}
    assert len(bases) == len(set(found.keys))
    assert not found.unread
    if found.data:
        assert "q" in index


GROUPS_OF_EIGHT = [set(range(first, first + 8)) for first in range(0, 32, 8)]


@pytest.mark.parametrize(
    "index",
    [
        "q[t / 8] * 64 + t % 8",
        "q[t / 8] + t",
        "t % 8 - q[t / 8]",
        "q[q[t / 8]] + t % 8",
        "q[t / 8] * n + t % 8",
        "(q[t / 8] & 255) + t % 8",
        "q[t / 8] * q[t / 8] + t % 8",
        "(long long)(d[t / 8] * 2.0) + t % 8",
        "t / 8 * n + t % 8",  # no data: sizes alone
    ],
)
def test_neighbours_whose_distances_are_kept(index: str) -> None:
    found = of_index(index)
    assert together(found) == GROUPS_OF_EIGHT
    assert found.data is ("[" in index)
    assert not found.unread
    apart = [found.numbers[t + 1] - found.numbers[t] for t in LANES if t % 8 < 7]
    assert set(apart) == {4}


@pytest.mark.parametrize(
    ("index", "groups", "places"),
    [
        ("t", 1, 32),
        ("n", 1, 1),
        ("q[0] + t", 1, 32),
        ("q[t]", 32, 32),
        ("q[t / 8]", 4, 4),
        ("q[t / 8] * 3 + t % 8 * 5", 4, 32),
        ("q[t / 8] + q[t % 4]", 16, 16),
        ("q[t % 8] + q[t % 4]", 8, 8),
        # What is computed of numbers at known distances is equal for equal ones only.
        ("(q[t / 8] + t % 4) / 2", 16, 16),
        ("(signed char)(q[t / 8] + t % 4)", 16, 16),
        ("(long long)(d[t / 8] + t % 4)", 16, 16),
        ("p[t / 8]", 4, 4),  # stored to as well, but loaded at once
        ("atomicAdd(&p[t / 8], 1)", 32, 32),
        ("clock64() % 64", 32, 32),
        ("__shfl_xor_sync(~0u, t, q[0])", 32, 32),
    ],
)
def test_groups_and_different_places(index: str, groups: int, places: int) -> None:
    found = of_index(index)
    assert (len(together(found)), alike(found)) == (groups, places)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        # What moves in a loop keeps its distances if all move by the same.
        ("long long i = q[t / 8]; for (int k = 0; k < n; k++) { p[i + t] = 1; i += n; }", 4),
        ("long long i = q[t / 8]; for (int k = 0; k < n; k++) { p[i + t] = 1; i += t / 4; }", 8),
        ("long long i = q[t / 8]; for (int k = 0; k < n; k++) { p[i] = 1; i = q[i]; }", 32),
        # One of two values: by what all lanes of a group agree on, or not.
        ("long long i = q[t / 8]; if (n > 3) i = q[t / 8 + 9]; p[i + t] = 1;", 4),
        ("long long i = q[t / 8]; if (q[t] > 3) i = q[t / 8 + 9]; p[i + t] = 1;", 32),
        # Lanes leave a loop apart, and what they had then is another number in each.
        ("long long i = 0; while (q[i + t]) i++; p[i] = 1;", 32),
        ("long long i = 0; while (q[i + n]) i++; p[i + t] = 1;", 1),
    ],
)
def test_values_of_loops_and_of_decisions(body: str, count: int) -> None:
    assert len(together(groups(body))) == count


@pytest.mark.parametrize(
    ("index", "data", "unread"),
    [
        ("t", False, False),
        ("q[t]", True, False),
        ("other(n) + t", False, True),
        ("q[other(n)] + t", True, True),
        ("q[t] + n * m", True, False),
        ("__shfl_sync(~0u, t, q[t])", True, False),
    ],
)
def test_what_a_run_or_more_reading_would_tell(index: str, *, data: bool, unread: bool) -> None:
    found = of_index(index)
    assert (found.data, found.unread) == (data, unread)


def test_a_decision_on_data_is_data() -> None:
    assert groups("int i = t; if (q[t] > 3) i = n; p[i] = 1;").data
    assert not groups("int i = t; if (t > 3) i = n; p[i] = 1;").data
    assert groups("int i = t; if (other(t) > 3) i = n; p[i] = 1;").unread
