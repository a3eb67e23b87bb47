"""Which lanes leave a loop in one iteration, and where.

In: a loop and what its blocks decide in one iteration. Out: the lanes that go on to a block outside
of it, those of them that do so at the loop's own test. A way out whose decision is not known is
taken for not taken; that of the test must be known.
"""

from __future__ import annotations

from operator import and_, gt, or_
from typing import TYPE_CHECKING

from ...source.records import dataclass
from ..dataflow.control_flow import ControlEdge
from .lane_values import WARP

if TYPE_CHECKING:
    from ...ir.block import Block
    from ..dataflow.control_flow import Loop
    from .guards import Guards, Mask


def test_of(loop: Loop) -> Block | None:
    """The block of code that decides about another iteration of a loop: the header, else
    the latch.
    """
    for block in (loop.header, *loop.latches):
        if any(successor not in loop.blocks for successor in block.successors):
            return block
    return None


@dataclass(frozen=True, slots=True)
class LeavingLanes:
    """The lanes of a warp that leave a loop in one iteration, those of them that leave it at its
    test.
    """

    mask: Mask
    by_test: Mask
    assumed: frozenset[Block]  # ways out taken for not taken


def leaving_lanes(guards: Guards, loop: Loop, test: Block) -> LeavingLanes | None:
    """Which lanes of a warp leave a loop in this iteration; None when the decision of its test is
    not known.
    """
    mask = by_test = (False,) * WARP
    assumed: set[Block] = set()
    for block in loop.exits:
        reached = guards.of(block)
        for target in block.successors:
            if target in loop.blocks:
                continue
            taken = guards.taken(ControlEdge(block, target))
            if taken is None and block is test:
                return None
            if taken is None:
                assumed.add(block)
                continue
            leaves = tuple(map(and_, reached.mask, taken))
            if not any(leaves):
                continue
            mask = tuple(map(or_, mask, leaves))
            if block is test and block not in loop.latches:
                by_test = tuple(map(or_, by_test, leaves))
    return LeavingLanes(mask, by_test, frozenset(assumed))


def without(mask: Mask, left: Mask) -> Mask:
    """The lanes of a mask but for those that have left the loop."""
    return tuple(map(gt, mask, left)) if any(left) else mask
