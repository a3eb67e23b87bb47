"""Sums of 16 bits that may hold what is added to them: nothing says how large that is.

In: an integer that a loop adds loaded values to. Out: whether it has 16 bits. A byte is full after
a few terms of its own kind; the authors of a sum of 16 bits have most often counted what fits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ...arithmetic.narrow_accumulators import NarrowAccumulator

_BITS = 16


def _may_fit(found: NarrowAccumulator) -> bool:
    return found.loses_high_bits and found.phi.type.bits == _BITS


DOUBT = Doubt(
    "sum-may-fit",
    Effect.POSSIBLE,
    "nothing says how large the terms are: 16 bits may hold every sum of them",
    _may_fit,
)
