"""Grids that no launch shows to be larger than what runs at once.

In: a loop that waits for other blocks. Out: whether no ordinary launch in sight is known to have
more blocks than every GPU has room for, without anybody asking how many there is room for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ...inter_block.cross_block import CrossBlock


def _may_all_run(candidate: CrossBlock) -> bool:
    return not candidate.is_large


DOUBT = Doubt(
    "grid-may-be-resident",
    Effect.POSSIBLE,
    "no launch in the file is known to have more blocks than a GPU runs at once",
    _may_all_run,
)
