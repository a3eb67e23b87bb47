"""Bank conflicts of two between rows of a block that no change of the layout takes away.

In: an access to shared memory whose lanes conflict. Out: whether two wavefronts are needed where
one would do, as lanes of different rows of the block meet, they are less than a fifth of the
kernel's time, and neither padding nor a skew of the array, tried over all accesses to it, needs
fewer: nobody knows what to do about it. Lanes of one row that meet are a stride, which can change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import ConflictCandidate

_FEW = 2.0  # wavefronts for each that is needed
_MUCH = 0.2  # of the kernel's time


def _stays_as_it_is(candidate: ConflictCandidate) -> bool:
    access = candidate.access
    small = access.degree <= _FEW and candidate.saved < _MUCH
    rows = [lane // access.launch.block[0] for lane in candidate.lanes]
    return small and not candidate.mended and len(set(rows)) == len(rows)


DOUBT = Doubt(
    "no-layout-helps",
    Effect.POSSIBLE,
    "two rows of a block conflict, and neither padding nor a skew that was tried avoids it",
    _stays_as_it_is,
)
