"""Kernels that ask for no index of a thread: most likely they are launched with one.

In: a launch whose block nobody states. Out: whether the kernel has no use for several threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...block_shape.block_inference import thread_axes
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _is_for_one_thread(candidate: BlockCandidate) -> bool:
    return candidate.launch.guessed and not thread_axes(candidate.facts)


DOUBT = Doubt(
    "single-thread-kernel",
    Effect.POSSIBLE,
    "the kernel never reads threadIdx, so it is probably launched with a single thread",
    _is_for_one_thread,
)
