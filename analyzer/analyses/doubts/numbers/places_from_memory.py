"""Places that an index which is not known leads to: it may lead each thread to its own.

In: two threads of a block. Out: whether one of the accesses goes to an index that was loaded, or
computed by more than whole numbers; not for atomic operations at what was loaded, which are there
because it does not, nor for what input leads to in an array that each thread has filled in part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conflicts.race_kinds import RaceKind
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _are_led(candidate: BlockCandidate) -> bool:
    in_order = candidate.kind is RaceKind.BARRIER
    return candidate.context.tracked.are_led(candidate.accesses, in_order=in_order)


DOUBT = Doubt(
    "index-from-memory",
    Effect.POSSIBLE,
    "an index comes from memory or is not known, and may give every thread its own element",
    _are_led,
)
