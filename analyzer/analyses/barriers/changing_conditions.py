"""Decisions on a number in global memory that other blocks change meanwhile: `while (*next < n)`.

In: a launch and the edge of a decision that is the same for a block, as far as its own threads can
tell. Out: whether it is made of a load that each thread makes for itself from one place of global
memory, and something writes there that other blocks execute: threads of one block may read
different numbers, and part before a barrier.
Left out are kernels of one block, and what a lock guards. Not handled: numbers that one thread
reads for its block, which nobody parts by; writes that a barrier of the grid keeps apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, Barrier, BarrierKind
from ..dataflow.slices import loads_in
from ..dataflow.value_numbering import alike
from ..inter_block.scopes import has_one_block, meet_in_block
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from ...ir.operations import MemoryAccess
    from ..dataflow.control_flow import ControlEdge
    from .facts import BarrierFacts, BarrierLaunch


def may_change_between(launch: BarrierLaunch, edge: ControlEdge) -> bool:
    """Whether threads of a block may decide differently, as other blocks write the number
    meanwhile.
    """
    facts = launch.facts
    if has_one_block(facts) or any(e.kind is BarrierKind.GRID for e in facts.every(Barrier)):
        return False
    return any(
        _is_changed(facts, load)
        for load in loads_in(edge.branch.terminator.operands[0])
        if load.kind is AccessKind.LOAD
        and facts.points_to.space_of(load) is Space.GLOBAL
        and launch.uniformity.of(load.address) <= Uniformity.GRID
        and not facts.critical_sections.is_guarded(load)
    )


def _is_changed(facts: BarrierFacts, load: MemoryAccess) -> bool:
    """Whether another block writes where a load reads."""
    item = facts.points_to.object_of(load)
    return any(
        facts.points_to.object_of(each) is item
        and alike(each.address, load.address)
        and not meet_in_block(facts, each, load)
        for each in facts.accesses
        if each.writes
    )
