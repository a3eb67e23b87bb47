"""Calls that are not looked into, and whether the whole block may meet in one.

In: a call in a launch. Out: no where it stands behind a decision about what each thread has loaded
for itself, `if (!converged)`: not all of a block would come to a barrier there. Decisions on thread
indices may let all threads through, whatever the launch, and flags that a block shares are the same
for all of them. Lanes of a warp may meet in any call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import MemoryAccess
from ..dataflow.slices import backward_slice
from ..warp_evaluation.parting_decisions import parting_decisions
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from ...ir.operations import Operation
    from .facts import BlockLaunch
    from .run_context import Observer
    from .thread_vectors import Threads


class UnreadCalls:
    """The calls of a kernel in one launch, each judged once for all runs."""

    def __init__(self, launch: BlockLaunch) -> None:
        self._launch = launch
        self._parted: dict[Operation, bool] = {}

    def meet(self, observer: Observer, call: Operation, threads: Threads) -> None:
        """Tells an observer of the meeting that a call may be, for the threads that come to it."""
        if call not in self._parted:
            self._parted[call] = self._may_part(call)
        if self._parted[call]:
            observer.warp_barrier(threads, call)
        else:
            observer.unread_call(call)

    def _may_part(self, call: Operation) -> bool:
        """Whether data may part the threads of the block before a call."""
        levels = self._launch.uniformity
        return any(
            isinstance(each, MemoryAccess) and levels.of(each.address) is Uniformity.VARYING
            for condition in parting_decisions(self._launch, call)
            for each in backward_slice(condition)
        )
