"""Waits for a block with a smaller number: GPUs start blocks in order.

In: a loop that waits for another block. Out: whether that is an earlier one, or the block waits for
its own turn. No manual promises the order; scans that look back rest on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ...inter_block.cross_block import CrossBlock


def _waits_for_earlier(candidate: CrossBlock) -> bool:
    return candidate.is_for_earlier


DOUBT = Doubt(
    "waits-for-earlier-block",
    Effect.POSSIBLE,
    "a block only waits for blocks with a smaller index, which GPUs start first",
    _waits_for_earlier,
)
