"""Pairs of accesses that nothing orders, against all pairs of threads of small blocks."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from analyses.doubts.candidates_of import conflicts_in
from hypothesis import given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from warplint.analyzer.analyses.conflicts.block_conflicts import BlockConflicts

THREADS = 64
#: Places in `s` as C++ has them, and as arithmetic gives them.
PLACES = {
    "t": lambda t: t,
    "t ^ 1": lambda t: t ^ 1,
    "t ^ 32": lambda t: t ^ 32,
    "63 - t": lambda t: 63 - t,
    "t / 2": lambda t: t // 2,
    "t % 32": lambda t: t % 32,
    "t + 64": lambda t: t + 64,
    "5": lambda _: 5,
}
STEPS = st.one_of(
    st.tuples(st.sampled_from(["store", "load"]), st.sampled_from(sorted(PLACES))),
    st.sampled_from([("block", ""), ("warp", "")]),
)


def seen_in(body: str) -> BlockConflicts:
    return conflicts_in(body, THREADS)


def text_of(program: list[tuple[str, str]]) -> str:
    """Every thread and every store puts down what nobody else does."""
    lines = {
        "store": "s[{1}] = in[t * 64 + {0}];",
        "load": "out[t * 64 + {0}] = s[{1}];",
        "block": "__syncthreads();",
        "warp": "__syncwarp();",
    }
    return " ".join(lines[kind].format(at, place) for at, (kind, place) in enumerate(program))


def expected_pairs(program: list[tuple[str, str]]) -> set[tuple[int, int]]:
    """The steps at which two threads meet, one storing, with nothing between that orders them."""
    found = set()
    for second, (kind, place) in enumerate(program):
        orders_warps = False
        for first in range(second, -1, -1):
            other, there = program[first]
            if other == "block" or kind in ("block", "warp"):
                break
            if other == "warp":
                orders_warps = True
                continue
            if kind == other == "load":
                continue
            for one, two in product(range(THREADS), repeat=2):
                apart = one // 32 != two // 32 or (one != two and not orders_warps)
                if apart and PLACES[there](one) == PLACES[place](two):
                    found.add((first, second))
                    break
    return found


@settings(max_examples=40)
@given(st.lists(STEPS, min_size=1, max_size=5))
def test_who_meets_whom(program: list[tuple[str, str]]) -> None:
    seen = seen_in(text_of(program))
    steps = [at for at, (kind, _) in enumerate(program) if kind in ("store", "load")]
    tracked = [each for each in seen._tracked.accesses if each.name.startswith("s[")]
    place = dict(zip(tracked, steps, strict=False))
    found = {
        (place[first], place[second])
        for first, second in seen.found
        if first in place and second in place
    }
    assert found == expected_pairs(program)
    for conflict in seen.found.values():
        assert conflict.first.thread != conflict.second.thread
        assert conflict.first.address == conflict.second.address


@pytest.mark.parametrize(
    ("body", "found", "equal"),
    [
        ("s[5] = 7;", 0, 1),  # the same value
        ("s[5] = t;", 1, 0),
        ("s[t] = t; out[t] = s[t];", 0, 0),
        ("atomicAdd(&s[5], 1);", 0, 0),
        ("atomicAdd(&s[5], 1); out[t] = s[5];", 1, 0),
        ("if (t == 3) s[5] = 1; out[t] = s[5];", 1, 0),
        ("s[t] = s[t ^ 32];", 1, 0),
        ("s[t] = in[t]; unread(n); out[t] = s[t ^ 32];", 1, 0),
    ],
)
def test_pairs(body: str, found: int, equal: int) -> None:
    seen = seen_in(body)
    shared = [pair for pair in seen.found if all("s[" in each.name for each in pair)]
    alike = [pair for pair in seen.equal if all("s[" in each.name for each in pair)]
    assert (len(shared), len(alike)) == (found, equal)


def test_a_pair_of_two_warps_is_shown_before_one_of_a_warp() -> None:
    found = seen_in("s[t % 8] = in[t];").found
    assert [each.same_warp for each in found.values()] == [False]


def test_a_conflict_across_a_call_is_marked() -> None:
    (conflict,) = (
        each
        for pair, each in seen_in("s[t] = in[t]; unread(n); out[t] = s[t ^ 32];").found.items()
        if pair[0].name[0] == "s"
    )
    assert conflict.called


def test_who_leaves_an_array() -> None:
    seen = seen_in("s[t * 8] = 1;")
    (access,) = seen.leaving
    assert seen.leaving[access] == 32  # of 256 elements
    assert seen.outside[access].touch.thread == 63
    assert seen_in("s[t * 4] = 1;").outside == {}
