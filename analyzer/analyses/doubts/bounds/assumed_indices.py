"""Accesses beyond the end of an array that a number chosen as an example leads to.

In: a thread beyond the end of an array. Out: whether an assumed number has a part in where the
access goes, or in whether it is executed; not in how often.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import OutsideCandidate


def _depends_on_example(candidate: OutsideCandidate) -> bool:
    return candidate.context.leaves_by_example(candidate.access, elsewhere=candidate.elsewhere)


DOUBT = Doubt(
    "example-size-in-index",
    Effect.POSSIBLE,
    "the index or its guard depends on a size that was chosen as an example",
    _depends_on_example,
)
