"""Each barrier of a kernel, what decides whether a thread reaches it, and who agrees on that.

In: the facts of a kernel for one launch. Out: for each barrier the decisions it is control
dependent on, nearest first, with the level of each (J. Ferrante et al., "The Program Dependence
Graph and Its Use in Optimization", 1987; uniformity.py). A barrier is uniform when all threads that
have to meet at it agree on every decision (CUDA C++ Programming Guide, "Synchronization Functions":
the whole block for `__syncthreads`, the lanes of the mask for `__syncwarp`). The levels are upper
bounds: a decision called divergent may yet be the same for all threads of the launch, which SYN001
finds out by evaluating it. Threads that have left the kernel count as not agreeing. A named barrier
is judged by warps, since parts of the block meet there by design.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Barrier, BarrierKind, Branch
from ...source.records import dataclass
from ..warp_evaluation.uniformity import Uniformity
from ..warp_evaluation.value_levels import condition_text

if TYPE_CHECKING:
    from ...source.text import Span
    from ..dataflow.control_flow import ControlEdge
    from .facts import BarrierLaunch

#: Who has to agree; None where each thread waits for an event and not for the others.
_AGREEMENT: dict[BarrierKind, Uniformity | None] = {
    BarrierKind.GRID: Uniformity.GRID,
    BarrierKind.CLUSTER: Uniformity.GRID,  # no level of its own stands between block and grid
    BarrierKind.BLOCK: Uniformity.BLOCK,
    BarrierKind.NAMED: Uniformity.WARP,
    BarrierKind.WARP: Uniformity.WARP,
    BarrierKind.ASYNC_WAIT: None,
    BarrierKind.MBARRIER: None,
}


@dataclass(frozen=True, slots=True)
class Control:
    """A decision before a barrier and the way out of it that leads there; `way` is empty for a
    switch.
    """

    condition: str
    span: Span
    construct: str
    way: str  # "true", "false", ""
    level: Uniformity


@dataclass(frozen=True, slots=True)
class BarrierControl:
    """A barrier and the decisions before it; `uniform` is None when its threads do not wait for
    each other.
    """

    barrier: Barrier
    controls: tuple[Control, ...]
    uniform: bool | None

    @property
    def level(self) -> Uniformity:
        """The widest group of threads that is sure to agree on reaching it."""
        return max((control.level for control in self.controls), default=Uniformity.GRID)


def barrier_controls(launch: BarrierLaunch) -> list[BarrierControl]:
    """The barriers of one kernel with what decides who reaches them, in the order of the source."""
    found = [
        _judge(launch, operation)
        for operation in launch.facts.every(Barrier)
        if not _is_commit(operation)
    ]
    return sorted(found, key=lambda item: _place(item.barrier.location.span))


def _is_commit(barrier: Barrier) -> bool:
    """Whether it only closes a group of asynchronous copies: nobody waits."""
    return barrier.kind is BarrierKind.ASYNC_WAIT and not barrier.wait


def _place(span: Span) -> tuple[str, int]:
    return span.path, span.start


def _judge(launch: BarrierLaunch, barrier: Barrier) -> BarrierControl:
    edges = launch.facts.flow.controlling_edges(barrier.block)
    controls = tuple(_control(launch, edge) for edge in edges)
    needed = _AGREEMENT[barrier.kind]
    if needed is None:
        return BarrierControl(barrier, controls, None)
    return BarrierControl(barrier, controls, all(item.level <= needed for item in controls))


def _control(launch: BarrierLaunch, edge: ControlEdge) -> Control:
    decision = edge.branch.terminator
    way = construct = ""
    if isinstance(decision, Branch):
        construct = decision.construct
        way = "true" if edge.target is decision.then else "false"
    level = launch.uniformity.of_branch(edge.branch)
    return Control(
        condition_text(decision), decision.location.span, construct or "switch", way, level
    )
