"""Where missing barriers must stand, and where there is no place for one."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.conflicts.race_kinds import RaceKind
from warplint.analyzer.analyses.races.missing_barriers import (
    Placement,
    barrier_place,
    placements,
)
from warplint.analyzer.analyses.races.race_groups import grouped

HEAD = """__global__ void k(const int *in, int *out, int n) {
__shared__ int s[256]; int t = threadIdx.x;"""


def places(body: str, kind: RaceKind = RaceKind.BARRIER, threads: int = 256) -> list[Placement]:
    facts = facts_of(f"{HEAD}\n{body}\n}}", (threads, 1, 1))
    (group,) = grouped(facts, kind)
    return placements(group)


def lines(found: list[Placement]) -> list[int | None]:
    return [None if p.before is None else p.before.location.span.line for p in found]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("s[t] = in[t];\nout[t] = s[t ^ 64];", 4),
        ("s[t] = in[t];\nif (t < 100)\nout[t] = s[t + 100];", 4),  # before the decision
        ("s[t] = in[t];\nif (n > 3)\nout[t] = s[t ^ 64];", 5),  # all come, or none
        ("s[t] = in[t];\nfor (int i = 0; i < 9; i++)\nout[t] += s[t ^ 64];", 4),
    ],
)
def test_the_place_before_the_second_access(body: str, line: int) -> None:
    (found,) = places(body)
    assert lines([found]) == [line]
    assert found.splits is None
    assert not found.is_after_head


def test_the_race_is_gone_with_the_barrier_there() -> None:
    facts = facts_of(f"{HEAD}\ns[t] = in[t];\nif (t < 100)\nout[t] = s[t + 100];\n}}", (256, 1, 1))
    (race,) = facts.races
    before = race.races.trials
    assert barrier_place(race.races, race) is not None
    assert race.races.trials < before
    race.races.trials = 0
    assert barrier_place(race.races, race) is None  # none was tried


def test_both_behind_a_decision_that_must_be_split() -> None:
    (found,) = places("if (t < 128) {\ns[t] = in[t];\nout[t] = s[127 - t];\n}")
    assert found.before is None
    assert found.splits is not None
    assert found.splits.location.span.line == 3


def test_a_part_of_the_condition_comes_first() -> None:
    body = "s[t] = in[t];\n__syncthreads();\nif (s[t ^ 64] > 3)\ns[t] = 1;"
    (found,) = places(body)
    assert found.is_after_head
    assert lines([found]) == [5]


def test_between_iterations_it_ends_the_body() -> None:
    body = """for (int i = 0; i < 9; i++) {
        s[t] = in[t + i]; __syncthreads(); out[t] += s[t ^ 64]; }"""
    (found,) = places(body, RaceKind.BARRIER_IN_LOOP)
    assert found.before is not None
    assert found.race.loop is not None
    assert found.before.block in found.race.loop.latches
    assert not found.is_after_head


def test_lanes_of_one_warp_need_less() -> None:
    (found,) = places("s[t] = in[t];\nout[t] = s[t ^ 1];", RaceKind.WARP_BARRIER, 32)
    assert lines([found]) == [4]
