"""Which ways out of branches each thread never takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.doubts.candidates_of import kernel

from warplint.analyzer.analyses.block_execution.assumed_numbers import SizeScenario
from warplint.analyzer.analyses.block_execution.thread_vectors import size
from warplint.analyzer.analyses.conflicts.race_context import RaceContext

if TYPE_CHECKING:
    from warplint.analyzer.analyses.conflicts.known_decisions import KnownDecisions


def decisions(body: str) -> KnownDecisions:
    """Those of a run of a kernel with this body, 64 threads in a block."""
    context = RaceContext(kernel(body, 64).launches[0])
    return context.decisions(context.runs.again(SizeScenario.EQUAL))


@pytest.mark.parametrize(
    ("body", "sizes"),
    [
        ("if (t == 0) out[0] = 1;", [1, 63]),
        ("if (t < 8) out[t] = 1; else if (t % 32 == 0) out[t] = 2;", [1, 7, 1, 55]),
        ("if (blockDim.x > 64) out[t] = 1;", [64]),
        ("if (in[t] > 0) out[t] = 1;", [64]),  # data
        ("for (int i = 0; i < 9; ++i) if (t == i) out[t] = 1;", [64]),  # iterations
    ],
)
def test_groups_of_threads(body: str, sizes: list[int]) -> None:
    assert sorted(map(size, decisions(body).groups.values())) == sorted(sizes)


def test_no_more_groups_than_are_worth_while() -> None:
    body = " ".join(f"if (t == {each}) out[{each}] = 1;" for each in range(60))
    assert len(decisions(body).groups) == 32


def test_asking_for_decisions_assumes_nothing_more() -> None:
    context = RaceContext(kernel("if (in[t] > 0 && n > 7) s[t] = 1;", 64).launches[0])
    run = context.runs.again(SizeScenario.EQUAL)
    used = dict(run.numbers.used)
    assert context.decisions(run).groups
    assert run.numbers.used == used
