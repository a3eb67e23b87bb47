"""Blocks that nobody states: the real one may be smaller, and stay inside the array.

In: a thread beyond the end of an array. Out: whether the block is a guess or inferred, or the
kernel is an instance of a template, of which it is not always known to which launch it belongs; not
where every thread goes there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import OutsideCandidate


def _is_not_stated(candidate: OutsideCandidate) -> bool:
    launch = candidate.context.launch.launch
    return (launch.guessed or launch.inferred) and not candidate.always


DOUBT = Doubt(
    "block-not-stated",
    Effect.POSSIBLE,
    "the block size is not stated, and a thread of a smaller block may stay inside the array",
    _is_not_stated,
)
