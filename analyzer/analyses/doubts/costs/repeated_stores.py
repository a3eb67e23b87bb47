"""Loops that store the same over and over: each iteration does what the last one did.

In: a store to one address in every iteration of a loop. Out: whether nothing that is stored changes
from iteration to iteration and the loop does not read it back: such a loop is there to take time,
in a benchmark or to show what streams overlap. A sum or a running value is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import Phi
from ...dataflow.slices import backward_slice
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ...memory_traffic.loop_stores import LoopStore


def _stores_the_same(found: LoopStore) -> bool:
    if found.load is not None:
        return False
    parts = [part for value in found.address.access.operands[1:] for part in backward_slice(value)]
    return not any(isinstance(part, Phi) and part.block in found.loop.blocks for part in parts)


DOUBT = Doubt(
    "same-stored-again",
    Effect.POSSIBLE,
    "every iteration stores the same again: the loop is there to take time",
    _stores_the_same,
)
