"""Values of which nothing is known, such as an argument of a template that no launch gives.

In: two threads of a block. Out: whether such a value has a part in where an access goes, or in
whether a thread comes to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...pointers.provenance import is_unknown
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _depends_on_unknown(candidate: BlockCandidate) -> bool:
    return any(
        is_unknown(each)
        for access in candidate.accesses
        for each in candidate.context.decides(access, loops=True)
    )


DOUBT = Doubt(
    "unknown-argument",
    Effect.POSSIBLE,
    "an index or a condition depends on a value of which nothing is known",
    _depends_on_unknown,
)
