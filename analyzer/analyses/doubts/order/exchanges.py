"""Exchanges between lanes: a shuffle or a vote stands between the two, and mostly lets them meet.

In: two lanes of one warp, in a run in which exchanges order nothing. Out: whether this is that run.
Intrinsics that exchange values "do not imply a memory barrier. They do not guarantee any memory
ordering" (CUDA C++ Programming Guide, "Warp Shuffle Functions"); `__syncwarp()` does. Compilers
keep accesses on their side of such an intrinsic more often than not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...block_execution.assumed_numbers import SizeScenario
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _orders_by_exchange(candidate: BlockCandidate) -> bool:
    return candidate.run.scenario is SizeScenario.EXCHANGED


DOUBT = Doubt(
    "exchange-between",
    Effect.POSSIBLE,
    "lanes exchange values between the two accesses, which orders no memory but mostly works",
    _orders_by_exchange,
)
