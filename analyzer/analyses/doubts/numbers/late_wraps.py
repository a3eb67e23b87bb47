"""Products that count threads in an unsigned number: they wrap only with 4,294,967,296 threads.

In: a 32-bit product that is widened too late. Out: whether it is the index of a block times the
size of a block, without a sign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ...memory_traffic.narrow_products import NarrowProduct


def _counts_many_threads(product: NarrowProduct) -> bool:
    return product.counts_threads and not product.result.signed


DOUBT = Doubt(
    "few-grids-are-so-large",
    Effect.POSSIBLE,
    "the product counts threads, and wraps only in a grid of 4,294,967,296 of them",
    _counts_many_threads,
)
