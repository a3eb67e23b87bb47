"""Places that an index which is not known leads to: it may lead each thread to its own.

In: two threads of a block. Out: whether one of the accesses goes to an index that was loaded, or
computed by more than whole numbers; not for atomic operations at what was loaded, which are there
because it does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _are_led(candidate: BlockCandidate) -> bool:
    return candidate.context.tracked.are_led(candidate.accesses)


DOUBT = Doubt(
    "index-from-memory",
    Effect.POSSIBLE,
    "an index comes from memory or is not known, and may give every thread its own element",
    _are_led,
)
