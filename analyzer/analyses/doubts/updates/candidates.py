"""An update at an index that comes from memory, and how many threads make it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....source.records import dataclass

if TYPE_CHECKING:
    from ....ir.memory import MemoryObject
    from ....ir.operations import MemoryAccess
    from ...conflicts.facts import ConflictFacts
    from ...conflicts.race_context import RaceContext


@dataclass(frozen=True, slots=True)
class ScatteredCandidate:
    """What doubts about updates judge: a store that goes on from what stands at an index from
    memory, by several threads.
    """

    context: RaceContext
    store: MemoryAccess
    item: MemoryObject | None
    loads: frozenset[MemoryAccess]
    threads: int

    @property
    def facts(self) -> ConflictFacts:
        """The kernel."""
        return self.context.launch.facts
