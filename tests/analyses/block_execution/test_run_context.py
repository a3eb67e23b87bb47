"""What a run tells those who watch, and what it may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyses.kernels import body_facts
from compiled_modules import is_compiled, of_python_only

from warplint.analyzer.analyses.block_execution import run_context
from warplint.analyzer.analyses.block_execution.assumed_numbers import AssumedNumbers, SizeScenario
from warplint.analyzer.analyses.block_execution.block_program import BlockProgram
from warplint.analyzer.analyses.block_execution.run_context import (
    AccessEvent,
    LoopProgress,
    ObserverGroup,
    Outcome,
    Place,
    RunContext,
    Unordered,
)
from warplint.analyzer.analyses.launch.allowance import METER, allowance

if TYPE_CHECKING:
    from warplint.analyzer.ir.operations import Operation

#: A compiled class has no subclasses in Python.
Base: type = object if is_compiled(run_context) else Unordered

FACTS = body_facts("p[0] = 1; __syncthreads();")
STORE, BARRIER, *_ = FACTS.kernel.operations()


class Told(Base):
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def access(self, event: AccessEvent) -> None:
        self.told.append(event)

    def block_barrier(self, barrier: Operation) -> None:
        self.told.append(barrier)


class ToldAll(Told):
    """Also of what orders nothing for the other."""

    def unread_call(self, call: Operation) -> None:
        self.told.append(("call", call))

    def warp_barrier(self, threads: int, operation: Operation) -> None:
        self.told.append(("warp", threads))

    def fence(self, operation: Operation, *, often: bool = False) -> None:
        self.told.append(("fence", often))


@of_python_only(run_context, "inherits from `Unordered`")
def test_all_observers_of_a_group_are_told() -> None:
    plain, full = Told(), ToldAll()
    group = ObserverGroup(plain, full)
    event = AccessEvent(FACTS.accesses[0], 1, 0, 100, 1, (), 4)
    group.access(event)
    group.block_barrier(BARRIER)
    group.unread_call(BARRIER)
    group.warp_barrier(5, BARRIER)
    group.fence(BARRIER, often=True)
    assert full.told == [event, BARRIER, ("call", BARRIER), ("warp", 5), ("fence", True)]
    assert plain.told == [event, BARRIER, BARRIER]  # a call is perhaps a barrier


def test_threads_of_a_place() -> None:
    assert Place(0b0011, 0b0110).threads == 0b0111
    assert Place().threads == 0


def test_no_run_does_more_than_the_kernel_may_cost() -> None:
    launch = FACTS.launches[0]
    numbers = AssumedNumbers(BlockProgram(launch), launch, SizeScenario.EQUAL)
    small = RunContext(launch, (0, 0, 0), numbers, limit=10)
    assert small.limit == 10
    outcome = Outcome(work=500)
    with allowance(100):
        assert RunContext(launch, (0, 0, 0), numbers).limit < small.limit * 100
        assert small.paid(outcome) is outcome
        assert METER.left < 100


def test_what_a_loop_may_cost() -> None:
    launch = FACTS.launches[0]
    numbers = AssumedNumbers(BlockProgram(launch), launch, SizeScenario.EQUAL)
    context = RunContext(launch, (0, 0, 0), numbers, limit=1_000)
    assert context.share_of_loop(200) == 400
    assert (
        context.share_of_loop(200, LoopProgress(0, 400)) == 300
    )  # half of what the one around it has left
    assert context.share_of_loop(600, LoopProgress(0, 400)) == 600
