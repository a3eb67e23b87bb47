"""Elements that a block loads again and again, an iteration or an access after each other.

In: what the threads of a block load in a loop. Out: whether no element is loaded by several threads
in the same iteration, as the factors of a matrix product are: each thread loads what its neighbour
has just loaded, `x[i - 1] + x[i] + x[i + 1]`, and finds it in a cache. What is the same for a whole
warp does not count: one request serves it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import ReuseCandidate

_SEVERAL = 4.0  # threads


def _comes_after(candidate: ReuseCandidate) -> bool:
    varied = [each for each in candidate.sharings if not each.uniform]
    return all(each.at_once < _SEVERAL for each in varied)


DOUBT = Doubt(
    "caches-serve-neighbours",
    Effect.POSSIBLE,
    "each thread loads what its neighbours have just loaded, which caches keep",
    _comes_after,
)
