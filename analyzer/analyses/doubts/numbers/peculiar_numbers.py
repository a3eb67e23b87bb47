"""Assumed numbers that stand where only some numbers make sense.

In: two threads that meet. Out: whether a reciprocal, a mask or a distance of bits that was assumed
has a part in where an access goes, and, for threads of one block, in whether a thread comes to it:
`__umulhi(i, n.reciprocal) >> n.shift`, `i & mask[1]`. No number that was chosen is such a one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.candidates import GridCandidate
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import AnyCandidate


def _depends_on_peculiar(candidate: AnyCandidate) -> bool:
    context = candidate.context
    if isinstance(candidate, GridCandidate):
        return any(map(context.is_peculiarly_placed, candidate.accesses))
    return any(
        context.is_peculiar(each)
        for access in candidate.accesses
        for each in context.decides(access, loops=True)
    )


DOUBT = Doubt(
    "special-number",
    Effect.POSSIBLE,
    "an index depends on a mask, shift or reciprocal, for which no example value is realistic",
    _depends_on_peculiar,
)
