"""Calls that are not looked into, and whether the whole block may meet in one.

In: a call in a launch, and who comes to it in a run. Out: no where it stands behind a decision
about what each thread has loaded for itself, `if (!converged)`: not all of a block would come to a
barrier there. Decisions on thread indices may let all threads through, whatever the launch, and
flags that a block shares are the same for all of them; but a function that computes something, and
is somewhere called by a part of the block whatever the sizes, `if (threadIdx.x < width / 2)`, holds
no barrier of the block wherever it is called. Nobody waits for memory of the heap. Lanes of a warp
may meet in any other call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Call, MemoryAccess
from ..dataflow.slices import backward_slice
from ..warp_evaluation.parting_decisions import parting_decisions
from ..warp_evaluation.uniformity import Uniformity
from .thread_vectors import everyone, split

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ...ir.operations import Operation
    from ...ir.values import Value
    from .block_program import BlockProgram
    from .block_values import BlockValues
    from .facts import BlockLaunch
    from .run_context import Observer
    from .thread_vectors import Threads


class UnreadCalls:
    """Whether the threads of a run may meet in a call that is not looked into; each call of a
    launch is judged once for all runs.
    """

    def __init__(self, launch: BlockLaunch, program: BlockProgram) -> None:
        self._launch = launch
        self._program = program
        self._parted: dict[Operation, bool] = {}
        self._parting: dict[Operation, list[Value]] = {}  # the decisions that part a block for sure
        self._apart: set[Hashable] = set()  # what a part of the block calls

    def meet(
        self, observer: Observer, call: Operation, threads: Threads, values: BlockValues
    ) -> None:
        """Tells an observer of the meeting that a call may be, for the threads that come to it."""
        if isinstance(call, Call) and (call.allocates or call.releases):
            return
        if call not in self._parted:
            self._parted[call] = self._may_part(call)
            self._parting[call] = self._parting_for_sure(call)
        if any(_parts(decision, values) for decision in self._parting[call]):
            self._apart.add(self._function(call))
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

    def may_wait(self, call: Operation) -> bool:
        """Whether a barrier of the block may stand in a call, as far as the runs have shown."""
        return self._function(call) not in self._apart

    def _function(self, call: Operation) -> Hashable:
        """What is called: the function, where its value is used; else the one place in the source,
        as groups of threads of any size wait by the same name.
        """
        if isinstance(call, Call) and call in self._launch.facts.users:
            return call.callee
        return call.location.span

    def _parting_for_sure(self, call: Operation) -> list[Value]:
        """The decisions before a call that no assumed number has a part in, and whose ways meet:
        nobody waits for who leaves the kernel.
        """
        launch, program = self._launch, self._program
        return [
            edge.branch.terminator.operands[0]
            for edge in launch.facts.flow.controlling_edges(call.block)
            if launch.uniformity.of_branch(edge.branch) > Uniformity.BLOCK
            and program.plan.region(edge.branch).join is not None
            and not program.depends_on_assumed(edge.branch.terminator.operands[0])
        ]


def _parts(decision: Value, values: BlockValues) -> bool:
    """Whether a decision sends some threads of the block here and others there."""
    holds, fails, unknown = split(values.of(decision), everyone(values.count), values.count)
    return bool(holds and fails and not unknown)
