"""Element by element beside its vector version: what a warp does for the last few elements only.

    if (remaining < 4) for (i = start; i < n; ++i) out[i] = in[i];   // one thread of the grid
    else store(&out[start], load(&in[start]));                       // four elements at once

In: an access with the decisions taken to let every lane through. Out: whether one of them, that
lanes decide for themselves, leads to a wider access of the same object on its other side, or comes
after one that the other side makes another wide access of; or whether the other side accesses the
same element and its neighbours: `if (x + 1 < n) out[x] = out[x + 1] = 0; else out[x] = 0;`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..dataflow.affine import affine
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from ...ir.block import Block
    from ...ir.operations import MemoryAccess
    from ..warp_evaluation.lane_addresses import LaneAddress
    from .facts import TrafficFacts
    from .global_accesses import GlobalAccess
    from .shared_accesses import SharedAccess


def is_vector_tail(facts: TrafficFacts, access: GlobalAccess | LaneAddress | SharedAccess) -> bool:
    """Whether an access does the last elements of a wider one of the same kind, which stands on the
    other side of a guard, or before it.
    """
    own = access.access
    launch = facts.of_launch(access.launch)
    ways = {
        edge.branch: edge.target
        for edge in facts.flow.controlling_edges(own.block)
        if edge.branch in access.assumed
        and launch.uniformity.of(edge.branch.terminator.operands[0]) is Uniformity.VARYING
    }
    if not ways:
        return False
    beside = facts.flow.behind_edges(
        lambda edge: edge.branch in ways and edge.target is not ways[edge.branch]
    )
    if _is_one_of_several(facts, beside, own):
        return True
    wider = [other for other in facts.accesses if (other.width or 0) > (own.width or 0)]
    alike = [
        other.block
        for other in wider
        if other.kind is own.kind and facts.points_to.object_of(other) is access.object
    ]
    if not beside.isdisjoint(alike):
        return True
    ahead = any(_is_ahead(facts, ways, block) for block in alike)
    return ahead and any(other.block in beside for other in wider)


def _is_one_of_several(facts: TrafficFacts, beside: set[Block], own: MemoryAccess) -> bool:
    """Whether the other side of a decision does the same and more: with the same element of an
    object, and with those that follow it.
    """
    form, width = affine(own.address), own.width or 0
    further: dict[Block, set[int]] = {}  # by how many bytes
    for other in facts.accesses:
        if other.kind is own.kind and other.width == width and other.block in beside:
            there = affine(other.address)
            if there.factors == form.factors:
                further.setdefault(other.block, set()).add(there.number - form.number)
    return any({0, width} <= places or {0, -width} <= places for places in further.values())


def _is_ahead(facts: TrafficFacts, ways: dict[Block, Block], block: Block) -> bool:
    """Whether a block runs before one of the decisions."""
    above = facts.flow.dominators.dominates
    return any(above(block.index, branch.index) for branch in ways)
