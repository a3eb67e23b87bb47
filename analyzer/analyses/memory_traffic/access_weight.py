"""How much an access weighs in its kernel: once, or in every iteration of a loop.

In: an access and its kernel's facts. Out: the depth of the loops around it, whether it belongs to
what a kernel does once before or after its loops, and whether the iterations of a loop walk along
its addresses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ..warp_evaluation.warp_evaluator import IterationNumber

if TYPE_CHECKING:
    from ...ir.operations import MemoryAccess
    from ..warp_evaluation.lane_values import LaneValue
    from .facts import TrafficFacts

#: What a multiprocessor serves by itself: it waits for nobody.
_ON_CHIP = frozenset({Space.SHARED, Space.CONSTANT, Space.PARAMETER})


def loop_depth(facts: TrafficFacts, access: MemoryAccess) -> int:
    """How many loops are around an access: how much its cost weighs."""
    return len(facts.flow.loop_nest(access.block))


def is_done_once(facts: TrafficFacts, access: MemoryAccess) -> bool:
    """Whether an access weighs little: no loop is around it, and loops of its kernel access memory
    no faster.
    """
    if loop_depth(facts, access):
        return False
    leaves_chip = not _stays_on_chip(facts, access)
    return any(
        loop_depth(facts, other) and not (leaves_chip and _stays_on_chip(facts, other))
        for other in facts.accesses
    )


def _stays_on_chip(facts: TrafficFacts, access: MemoryAccess) -> bool:
    return facts.points_to.spaces(access) <= _ON_CHIP


def step_along(facts: TrafficFacts, access: MemoryAccess, value: LaneValue) -> int | None:
    """The least distance in bytes that an iteration of a loop moves all lanes of an access by; None
    for none.
    """
    steps = dict(value.terms)
    found = [steps.get(IterationNumber(loop.header)) for loop in facts.flow.loop_nest(access.block)]
    return min((abs(step) for step in found if isinstance(step, int)), default=None)
