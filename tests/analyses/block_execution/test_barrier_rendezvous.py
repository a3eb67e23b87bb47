"""Where the threads of a run wait for each other, and who goes on together."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of, ptx_facts

from warplint.analyzer.analyses.block_execution.assumed_numbers import AssumedNumbers, SizeScenario
from warplint.analyzer.analyses.block_execution.barrier_rendezvous import (
    BarrierRendezvous,
    StopError,
)
from warplint.analyzer.analyses.block_execution.block_program import BlockProgram
from warplint.analyzer.analyses.block_execution.block_values import BlockValues
from warplint.analyzer.analyses.block_execution.run_context import Place
from warplint.analyzer.analyses.block_execution.thread_vectors import everyone
from warplint.analyzer.ir.operations import Barrier

FACTS = ptx_facts("bar.sync 3, 64;\nbar.sync 0;\nbar.sync %r5, 64;")
LAUNCH = FACTS.launches[0]
PROGRAM = BlockProgram(LAUNCH)
ALL, LOWER = everyone(64), everyone(32)
UPPER = ALL ^ LOWER
BLOCK = FACTS.kernel.blocks[0]
HERE, THERE = (BLOCK, 1), (BLOCK, 2)


def meeting() -> BarrierRendezvous:
    numbers = AssumedNumbers(PROGRAM, LAUNCH, SizeScenario.EQUAL)
    return BarrierRendezvous(BlockValues(PROGRAM, LAUNCH.launch, (0, 0, 0), numbers), 64)


def test_numbers_and_counts_of_barriers() -> None:
    named, plain, unknown = FACTS.every(Barrier)
    assert meeting().numbered(named) == (3, 64)
    assert meeting().numbered(plain) == (0, 64)
    assert meeting().numbered(unknown) is None


def test_all_that_are_left_wait_at_one_place() -> None:
    found = meeting()
    found.wait(HERE, Place(LOWER))
    found.wait(HERE, Place(UPPER))
    assert found.waiting[HERE].must == ALL
    assert found.meet() == HERE


def test_two_places_stop_the_run() -> None:
    found = meeting()
    found.wait(HERE, Place(LOWER))
    found.wait(THERE, Place(UPPER))
    with pytest.raises(StopError, match="different barriers"):
        found.meet()


def test_threads_meet_by_the_number_not_by_the_line() -> None:
    found = meeting()
    found.wait(HERE, Place(LOWER), (3, 64))
    found.wait(THERE, Place(UPPER), (3, 64))
    assert found.meet() in (HERE, THERE)
    apart = meeting()
    apart.wait(HERE, Place(LOWER), (3, 64))
    apart.wait(THERE, Place(UPPER), (4, 64))
    with pytest.raises(StopError, match="wait for each other"):
        apart.meet()


def test_who_arrives_counts_and_goes_on() -> None:
    found = meeting()
    found.arrive(3, UPPER)
    found.wait(HERE, Place(LOWER), (3, 64))
    assert found.meet() == HERE


def test_the_first_number_that_is_complete_goes_on() -> None:
    found = meeting()
    found.wait(HERE, Place(LOWER), (3, 32))
    found.wait(THERE, Place(UPPER), (4, 64))
    assert found.meet() == HERE


@pytest.mark.parametrize(
    ("body", "stops"),
    [
        ("s[t] = 1; __syncthreads(); out[t] = s[t ^ 64];", False),
        (
            "if (t < 64) { s[t] = 1; __syncthreads(); } else __syncthreads(); out[t] = s[t ^ 64];",
            True,
        ),
    ],
)
def test_a_run_whose_threads_wait_at_different_lines(body: str, *, stops: bool) -> None:
    text = f"""__global__ void k(int *out, int n) {{
        __shared__ int s[128]; int t = threadIdx.x; {body} }}"""
    facts = facts_of(text, (128, 1, 1))
    assert not facts.races
    assert bool(facts.unfinished) is stops


def test_what_a_part_does_behind_an_mbarrier_is_apart_from_what_others_do() -> None:
    found, barrier = meeting(), FACTS.every(Barrier)[0]
    assert found.let_others_go(ALL) is None
    found.go_ahead(barrier, LOWER)
    assert found.let_others_go(LOWER) is None
    assert found.let_others_go(UPPER) is barrier
    assert found.let_others_go(UPPER) is None
