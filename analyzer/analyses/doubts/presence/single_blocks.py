"""Kernels all of whose blocks do the same: most likely there is one block.

In: an exchange between blocks, where the launch does not say how many there are. Out: whether no
block has work of its own (`inter_block/alike_blocks.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conflicts.race_kinds import RaceKind
from ...inter_block.alike_blocks import are_alike
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import GridCandidate


def _is_for_one_block(candidate: GridCandidate) -> bool:
    return None in candidate.launch.grid and are_alike(candidate.facts)


DOUBT = Doubt(
    "single-block-kernel",
    Effect.POSSIBLE,
    "all blocks do the same work, so the grid is probably a single block",
    _is_for_one_block,
    frozenset({RaceKind.BLOCKS}),
)
