"""Element by element beside its vector version: what a warp does for the last few elements only.

    if (remaining < 4) for (i = start; i < n; ++i) out[i] = in[i];   // one thread of the grid
    else store(&out[start], load(&in[start]));                       // four elements at once

In: an access with the decisions taken to let every lane through. Out: whether one of them, that
lanes decide for themselves, leads to a wider access of the same object on its other side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .uniformity import Uniformity

if TYPE_CHECKING:
    from ..ir.block import Block
    from .facts import KernelFacts
    from .global_accesses import GlobalAccess
    from .lane_addresses import LaneAddress
    from .shared_accesses import SharedAccess


def is_vector_tail(facts: KernelFacts, access: GlobalAccess | LaneAddress | SharedAccess) -> bool:
    """Whether a wider access of the same kind stands on the other side of a guard."""
    own = access.access
    assert own.block is not None
    launch = facts.of_launch(access.launch)
    ways = {
        edge.branch: edge.target
        for edge in facts.flow.controlling_edges(own.block)
        if edge.branch in access.assumed
        and launch.uniformity.of(edge.branch.terminator.operands[0]) is Uniformity.VARYING
    }
    return any(
        other.kind is own.kind
        and (other.width or 0) > (own.width or 0)
        and other.block is not None
        and _is_beside(facts, ways, other.block)
        and facts.points_to.object_of(other) is access.object
        for other in (facts.accesses if ways else ())
    )


def _is_beside(facts: KernelFacts, ways: dict[Block, Block], block: Block) -> bool:
    """Whether a block runs on the other side of one of the decisions."""
    edges = facts.flow.controlling_edges(block)
    return any(edge.branch in ways and edge.target is not ways[edge.branch] for edge in edges)
