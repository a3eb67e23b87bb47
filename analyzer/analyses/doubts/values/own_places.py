"""Reads of what another block writes, at a place that the reading block has written itself.

In: two blocks, a plain store and a read. Out: whether the reading block makes the same store at
this place between the same barriers of the grid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conflicts.race_kinds import RaceKind
from ...pointers.memory_model import ATOMIC
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import GridCandidate


def _has_written_it(candidate: GridCandidate) -> bool:
    first, second = candidate.first, candidate.second
    if not ATOMIC.isdisjoint((first.access.kind, second.access.kind)):
        return False
    reader, writer = (first, second) if second.access.writes else (second, first)
    if reader.access in candidate.facts.updates.get(writer.access, ()):
        return False  # it reads first, and writes what it makes of it
    assert reader.block is not None
    place = reader.address // candidate.grid.accesses.unit
    own = candidate.run.seen[reader.block].intervals
    return any(place in each[writer.access].places for each in own if writer.access in each)


DOUBT = Doubt(
    "block-reads-own-value",
    Effect.POSSIBLE,
    "the block that reads also writes here, and may read the value that it wrote itself",
    _has_written_it,
    frozenset({RaceKind.BLOCKS}),
)
