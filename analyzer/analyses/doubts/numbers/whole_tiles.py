"""Sizes that may be multiples of a tile by agreement: nobody says what they are.

In: a loop over tiles that leaves out the rest. Out: whether no launch says that there is a rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ...array_bounds.cut_loops import CutLoop


def _may_be_whole(loop: CutLoop) -> bool:
    return loop.left is None


DOUBT = Doubt(
    "whole-tiles",
    Effect.POSSIBLE,
    "no launch says what the size is: it may be a multiple of the tile by agreement",
    _may_be_whole,
)
