"""A thread that leaves an array, and the run that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....source.records import dataclass

if TYPE_CHECKING:
    from ....ir.operations import MemoryAccess
    from ...block_execution.access_events import Outside
    from ...conflicts.block_runs import BlockRun
    from ...conflicts.facts import ConflictFacts
    from ...conflicts.race_context import RaceContext


@dataclass(frozen=True, slots=True)
class OutsideCandidate:
    """What doubts about bounds judge: a thread beyond the end of an array, and the run that shows
    it.
    """

    context: RaceContext
    run: BlockRun
    outside: Outside

    @property
    def facts(self) -> ConflictFacts:
        """The kernel."""
        return self.context.launch.facts

    @property
    def access(self) -> MemoryAccess:
        """What leaves the array."""
        return self.outside.touch.access

    @property
    def elsewhere(self) -> bool:
        """Whether it is not a thread of the grid's first block."""
        return self.outside.touch.block is not None

    @property
    def always(self) -> bool:
        """Whether every thread goes there, whatever the size of the block."""
        for_all = isinstance(self.outside.touch.event.addresses, int)
        return for_all and not self.context.depends_on_block(self.access)
