"""Runs of a block that are watched, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warplint.analyzer.analyses.block_execution.assumed_numbers import AssumedNumbers, SizeScenario
from warplint.analyzer.analyses.block_execution.block_program import BlockProgram
from warplint.analyzer.analyses.block_execution.execution import BlockExecution
from warplint.analyzer.analyses.block_execution.run_context import RunContext, Unordered

if TYPE_CHECKING:
    from warplint.analyzer.analyses.block_execution.run_context import AccessEvent
    from warplint.analyzer.analyses.facts import KernelFacts


class Watch(Unordered):
    """Keeps every visit."""

    def __init__(self) -> None:
        self.events: list[AccessEvent] = []

    def access(self, event: AccessEvent) -> None:
        """Threads execute an access."""
        self.events.append(event)


def events(facts: KernelFacts, scenario: SizeScenario = SizeScenario.EQUAL) -> list[AccessEvent]:
    """The visits of the first block of the first launch, in order."""
    launch = facts.launches[0]
    program = BlockProgram(launch)
    numbers = AssumedNumbers(program, launch, scenario)
    watch = Watch()
    BlockExecution(program, RunContext(launch, (0, 0, 0), numbers), watch).run()
    return watch.events
