"""Blocks run as a whole do what an independent interpreter has their threads do one by one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from analyses.comparison import Comparison
from analyses.kernels import cuda_module, facts_of
from analyses.random_kernels import random_kernel
from analyses.test_random_kernels import KERNELS
from analyses.thread_interpreter import Run, base_address

from warplint.analyzer.analyses.block_execution.block_program import BlockProgram
from warplint.analyzer.analyses.block_execution.execution import BlockExecution
from warplint.analyzer.analyses.block_execution.run_context import Changes, Outcome, RunContext
from warplint.analyzer.analyses.block_execution.thread_vectors import entries, everyone, flags
from warplint.analyzer.ir.operations import Barrier, MemoryAccess, Operation
from warplint.analyzer.ir.values import Parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from warplint.analyzer.analyses.block_execution.run_context import AccessEvent
    from warplint.analyzer.analyses.block_execution.thread_vectors import Threads, Vector
    from warplint.analyzer.ir.block import Block
    from warplint.analyzer.ir.values import Value


@dataclass
class Given:
    """The arguments of the run; what data decides is decided somehow, and from then on differs."""

    arguments: Mapping[str, int]
    recorder: Recorder
    decided_at: int | None = None  # how many visits there were before

    def number(self, value: Value, iterations: tuple[int, ...]) -> Vector:
        return self.arguments.get(value.name) if isinstance(value, Parameter) else None

    def takes_first(self, branch: Block, iterations: tuple[int, ...]) -> bool:
        if self.decided_at is None:
            self.decided_at = len(self.recorder.events)
        return iterations[-1:] < (2,)


@dataclass
class Recorder:
    """What a run shows."""

    events: list[AccessEvent] = field(default_factory=list)
    barriers: list[Operation] = field(default_factory=list)

    def access(self, event: AccessEvent) -> None:
        self.events.append(event)

    def block_barrier(self, barrier: Operation) -> None:
        self.barriers.append(barrier)

    def unread_call(self, call: Operation) -> None:
        self.barriers.append(call)

    def warp_barrier(self, threads: Threads, operation: Operation) -> None:
        pass

    def fence(self, operation: Operation) -> None:
        pass


def _run(comparison: Comparison) -> tuple[BlockProgram, list[AccessEvent], bool]:
    """The visits that must be as in the interpreter, and whether these are all there are."""
    program = BlockProgram(comparison.launch)
    recorder = Recorder()
    given = Given(comparison.run.arguments, recorder)
    context = RunContext(comparison.launch, comparison.run.block_index, given, limit=10**9)
    outcome = BlockExecution(program, context, recorder).run()
    assert outcome.stopped in ("", "a loop has too many iterations")
    behind = outcome.parted  # there, later rounds are left out
    whole = given.decided_at is None and not (behind or outcome.cut or outcome.stopped)
    return program, recorder.events[: given.decided_at], whole


@pytest.mark.parametrize(("read", "seed"), KERNELS)
def test_every_thread_has_the_address_it_has_alone(
    read: Callable[[int], Comparison], seed: int
) -> None:
    """And a thread that is said to come surely does come, in that round."""
    comparison = read(seed)
    program, events, _ = _run(comparison)
    checked = 0
    for event in events:
        threads = len(comparison.run.threads)
        trace = comparison.trace.addresses.get(event.access, {})
        must = flags(event.must, threads)
        for thread, address in zip(range(threads), entries(event.addresses, threads), strict=False):
            if not must[thread] or address is None:
                continue
            place = program.object_at(address)
            assert place is not None
            expected = trace[event.iterations][thread]
            assert expected == base_address(comparison.objects, place[0]) + place[1]
            checked += 1
    assert checked > 0 or not events


#: Seeds whose kernels decide nothing by data.
DECIDED = (2, 3, 4, 5, 7, 10, 13, 14, 18, 19, 20, 23, 24, 28, 29, 32, 34, 37, 38, 39, 40)


@pytest.mark.parametrize("seed", DECIDED)
def test_nobody_is_forgotten(seed: int) -> None:
    """Whoever executes an access alone does so in the block, surely or perhaps."""
    module = cuda_module(random_kernel(seed))
    comparison = Comparison(
        module.kernels[0], module, Run((40, 1, 1), (3, 1, 1), (1, 0, 0), {"n": 3})
    )
    _, events, whole = _run(comparison)
    assert whole
    seen = {
        (event.access, event.iterations, thread)
        for event in events
        for thread, flag in enumerate(flags(event.must, 40))
        if flag
    }
    for access, iterations in comparison.trace.addresses.items():
        for number, threads in iterations.items():
            assert all((access, number, thread) in seen for thread in threads)


def _barriers(body: str, changes: Changes | None = None, block: int = 64) -> tuple[int, Outcome]:
    facts = facts_of(f"__global__ void k(int *p, int n) {{ {body} }}", (block, 1, 1))
    launch = facts.launches[0]
    recorder = Recorder()
    context = RunContext(launch, (0, 0, 0), Given({"n": 3}, recorder), changes or Changes())
    outcome = BlockExecution(BlockProgram(launch), context, recorder).run()
    return len(recorder.barriers), outcome


def test_a_barrier_is_met_once_for_all() -> None:
    text = "if (threadIdx.x < 20) p[threadIdx.x] = 1; __syncthreads(); p[threadIdx.x + 64] = 2;"
    count, outcome = _barriers(text)
    assert (count, outcome.stopped) == (1, "")


def test_a_barrier_in_a_loop_is_met_in_every_round() -> None:
    count, outcome = _barriers("for (int i = 0; i < 5; i++) { p[i] = i; __syncthreads(); }")
    assert (count, outcome.stopped, outcome.cut) == (5, "", False)


def test_threads_that_left_are_not_waited_for() -> None:
    count, outcome = _barriers("if (threadIdx.x > n) return; __syncthreads(); p[0] = 1;")
    assert (count, outcome.stopped) == (1, "")


def test_two_barriers_in_two_arms_end_the_run() -> None:
    _, outcome = _barriers("if (threadIdx.x < 3) __syncthreads(); else __syncthreads(); p[0] = 1;")
    assert outcome.stopped == "threads wait at different barriers"


def test_data_before_a_barrier_decides_for_the_whole_block() -> None:
    text = "if (p[threadIdx.x] > 0) { p[0] = 1; __syncthreads(); } p[1] = 2;"
    count, outcome = _barriers(text)
    assert (count, outcome.stopped) == (1, "")


def test_barriers_can_be_left_out_and_added() -> None:
    body = "p[threadIdx.x] = 1; __syncthreads(); p[threadIdx.x + 1] = 2;"
    facts = facts_of(f"__global__ void k(int *p, int n) {{ {body} }}", (64, 1, 1))
    launch = facts.launches[0]
    operations = list(facts.kernel.operations())
    barrier = next(each for each in operations if isinstance(each, Barrier))
    store = [each for each in operations if isinstance(each, MemoryAccess)][1]
    for changes, expected in (
        (Changes(without=frozenset({barrier})), []),
        (Changes(before=frozenset({store})), [barrier, store]),
    ):
        recorder = Recorder()
        context = RunContext(launch, (0, 0, 0), Given({}, recorder), changes)
        BlockExecution(BlockProgram(launch), context, recorder).run()
        assert recorder.barriers == expected


def test_too_much_work_is_not_done() -> None:
    text = "for (int i = 0; i < 100000; i++) for (int k = 0; k < 1000; k++) p[threadIdx.x * k] = i;"
    _, outcome = _barriers(text)
    assert outcome.cut or outcome.stopped == "analysis budget exhausted"


def _visits(body: str) -> tuple[list[AccessEvent], Outcome]:
    facts = facts_of(f"__global__ void k(int *p, int n) {{ {body} }}", (64, 1, 1))
    launch = facts.launches[0]
    recorder = Recorder()
    context = RunContext(launch, (0, 0, 0), Given({"n": 100_000}, recorder), limit=20_000)
    outcome = BlockExecution(BlockProgram(launch), context, recorder).run()
    return recorder.events, outcome


def test_threads_perhaps_leave_a_long_loop_here_or_there_and_meet_behind_it() -> None:
    text = """int i = 0;
    for (; i < 9999; i++) { if (threadIdx.x + i == n) { p[threadIdx.x] = 1; break; } p[i] = 2; }
    p[threadIdx.x] = i; __syncthreads(); p[threadIdx.x] = 3;"""
    events, outcome = _visits(text)
    *_, found, behind, last = events
    assert (outcome.stopped, outcome.cut) == ("", True)
    assert (found.must, found.may) == (0, everyone(64))  # who finds it writes
    assert (behind.must, behind.stored, last.must) == (everyone(64), None, everyone(64))


def test_a_barrier_on_one_way_out_of_a_long_loop_ends_the_run() -> None:
    text = """for (int i = 0; i < 9999; i++) {
        if (i == n) { __syncthreads(); p[1] = i; break; }
        p[i] = 2;
    }
    p[2] = 3;"""
    assert _visits(text)[1].stopped == "a loop has too many iterations"


def test_a_loop_leaves_something_for_the_next_iteration_of_the_one_around_it() -> None:
    text = """for (int i = 0; i < 40; i++) { p[i] = 1; __syncthreads();
        for (int j = 0; j < 40; j++) for (int k = 0; k < 40; k++) p[i * j * k + threadIdx.x] = 2; }
    p[n] = 3;"""
    events, outcome = _visits(text)
    first, *_, last = events
    assert (outcome.stopped, outcome.cut) == ("", True)
    assert sum(event.access is first.access for event in events) >= 2
    assert last.must == everyone(64)
