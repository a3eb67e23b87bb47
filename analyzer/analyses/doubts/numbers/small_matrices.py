"""Pointers to rows whose product of row and length nobody says to be large.

In: a 32-bit product that is widened too late. Out: whether it only leads a pointer to a row, and no
launch says that it gets too large. Where
the result is kept in 64 bits, or compared with a 64-bit size, the kernel itself says that 32 may be
too few; that a matrix of 2,147,483,648 elements is handed over, nothing says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...memory_traffic.narrow_products import ProductUse
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ...memory_traffic.narrow_products import NarrowProduct


def _leads_to_a_row(product: NarrowProduct) -> bool:
    return product.use is ProductUse.POINTER and not product.stated


DOUBT = Doubt(
    "matrix-may-be-small",
    Effect.POSSIBLE,
    "nothing says that the matrix has as many elements as make the product overflow",
    _leads_to_a_row,
)
