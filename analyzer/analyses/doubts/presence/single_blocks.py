"""Kernels all of whose blocks do the same: most likely there is one block.

In: an exchange between blocks, where the launch does not say how many there are. Out: whether no
block has work of its own (`inter_block/alike_blocks.py`); where all of them write, whether no block
so much as asks for its number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...block_execution.launch_values import BLOCK_INDEX
from ...conflicts.race_kinds import RaceKind
from ...inter_block.alike_blocks import are_alike
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import GridCandidate


def _is_for_one_block(candidate: GridCandidate) -> bool:
    if None not in candidate.launch.grid:
        return False
    if candidate.kind is RaceKind.BLOCKS:
        return are_alike(candidate.facts)
    return candidate.facts.registers.isdisjoint(BLOCK_INDEX)


DOUBT = Doubt(
    "single-block-kernel",
    Effect.POSSIBLE,
    "all blocks do the same work, so the grid is probably a single block",
    _is_for_one_block,
)
