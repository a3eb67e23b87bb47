"""Runs of a block that are watched, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warplint.analyzer.analyses.block_execution.assumed_numbers import AssumedNumbers, SizeScenario
from warplint.analyzer.analyses.block_execution.block_program import BlockProgram
from warplint.analyzer.analyses.block_execution.execution import BlockExecution
from warplint.analyzer.analyses.block_execution.run_context import RunContext

if TYPE_CHECKING:
    from warplint.analyzer.analyses.block_execution.run_context import AccessEvent
    from warplint.analyzer.analyses.facts import KernelFacts
    from warplint.analyzer.ir.operations import Operation


class Watch:
    """Keeps what a run tells it, accesses as `events`, the rest in words.

    It inherits from nothing: a class of a compiled wheel has no subclasses in Python.
    """

    def __init__(self) -> None:
        self.events: list[AccessEvent] = []
        self.told: list[str] = []

    def access(self, event: AccessEvent) -> None:
        """Threads execute an access."""
        self.events.append(event)

    def block_barrier(self, barrier: Operation) -> None:
        """All threads have met."""
        self.told.append("barrier")

    def unread_call(self, call: Operation) -> None:
        """All threads may have met."""
        self.told.append("block")

    def warp_barrier(self, threads: int, operation: Operation) -> None:
        """These threads have met within their warps."""
        self.told.append(f"warp {threads}")

    def fence(self, operation: Operation, *, often: bool = False) -> None:
        """A fence."""
        self.told.append("fence")


def events(facts: KernelFacts, scenario: SizeScenario = SizeScenario.EQUAL) -> list[AccessEvent]:
    """The visits of the first block of the first launch, in order."""
    launch = facts.launches[0]
    program = BlockProgram(launch)
    numbers = AssumedNumbers(program, launch, scenario)
    watch = Watch()
    BlockExecution(program, RunContext(launch, (0, 0, 0), numbers), watch).run()
    return watch.events
