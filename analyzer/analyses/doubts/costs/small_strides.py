"""Strides that may be one element: nothing shows that the parameter is the length of a row.

In: accesses whose lanes are apart by a parameter. Out: whether no other index runs along such a
row, nothing is compared with the parameter, or the lanes walk along a diagonal, which no order of
the lanes makes shorter. `x[i * incx]` alone is written for any `incx`, and 1 is the usual one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...memory_traffic.symbolic_stride import extents
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import StrideCandidate


def _may_be_small(candidate: StrideCandidate) -> bool:
    bounds = extents(candidate.facts)
    return not any(
        (stride.has_columns or stride.symbols & bounds) and not stride.is_diagonal
        for stride in candidate.strides
    )


DOUBT = Doubt(
    "stride-may-be-small",
    Effect.POSSIBLE,
    "nothing shows that the stride is the length of a row: it may be a single element",
    _may_be_small,
)
