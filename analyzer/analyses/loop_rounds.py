"""The rounds of loops whose course is known: what their phis hold in each round.

In: a loop nest, a launch, a warp. Out: for each combination of rounds the values of all header
phis, or None when a bound is not known. Used where a symbol for the iteration will not do:
`s >>= 1`, `stride *= 2`, `(column + k) & 7`.
A loop ends when no lane stays. Exits other than the loop's own test (`break`) are taken for not
taken. More rounds than the limit are cut off, and `complete` says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..ir.operations import Branch
from .lane_values import LaneValue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ir.block import Block
    from ..ir.values import Value
    from .control_flow import Loop
    from .facts import LaunchFacts
    from .warp_evaluator import Outcome, WarpEvaluator

ROUND_LIMIT = 64  # of one loop
TOTAL_LIMIT = 256  # of a nest

Bound = dict["Value", "Outcome"]


@dataclass(frozen=True, slots=True)
class Rounds:
    """What the header phis hold, round by round."""

    bound: tuple[Bound, ...]
    complete: bool


def rounds_of(facts: LaunchFacts, warp: int, nest: Sequence[Loop]) -> Rounds | None:
    """The rounds of a nest, innermost loop first; None when the course of one is not known."""
    combined: list[Bound] = [{}]
    complete = True
    for loop in reversed(nest):
        extended: list[Bound] = []
        for outer in combined:
            inner = _rounds_of_loop(facts, warp, loop, outer)
            if inner is None:
                return None
            complete = complete and inner.complete
            extended += [{**outer, **bound} for bound in inner.bound]
            if len(extended) > TOTAL_LIMIT:
                complete = False
                break
        combined = extended[:TOTAL_LIMIT]
    return Rounds(tuple(combined), complete)


def _rounds_of_loop(facts: LaunchFacts, warp: int, loop: Loop, outer: Bound) -> Rounds | None:
    test = _test(loop)
    if test is None or len(loop.latches) != 1:
        return None
    bound = first_round(facts.new_evaluator(warp, bound=outer), loop)
    found: list[Bound] = []
    while len(found) < ROUND_LIMIT:
        evaluator = facts.new_evaluator(warp, bound={**outer, **bound})
        stays = _stays(evaluator, loop, test)
        if stays is None:
            return None
        if test is loop.header and not stays:
            return Rounds(tuple(found), complete=True)
        found.append(bound)
        if test is not loop.header and not stays:
            return Rounds(tuple(found), complete=True)
        latch = loop.latches[0]
        bound = {
            phi: evaluator.value(phi.operands[loop.header.predecessors.index(latch)])
            for phi in loop.header.phis
        }
    return Rounds(tuple(found), complete=False)


def _test(loop: Loop) -> Block | None:
    """The block that decides about another round: the header, else the latch."""
    for block in (loop.header, *loop.latches):
        if any(successor not in loop.blocks for successor in block.successors):
            return block
    return None


def first_round(evaluator: WarpEvaluator, loop: Loop) -> Bound:
    """What the header phis of a loop hold in its first round."""
    bound: Bound = {}
    for phi in loop.header.phis:
        for operand, predecessor in zip(phi.operands, loop.header.predecessors, strict=True):
            if predecessor not in loop.blocks:
                bound[phi] = evaluator.value(operand)
    return bound


def _stays(evaluator: WarpEvaluator, loop: Loop, test: Block) -> bool | None:
    """Whether any lane does another round; None when not known."""
    last = test.terminator
    if not isinstance(last, Branch):
        return None
    decided = evaluator.value(last.condition)
    if not isinstance(decided, LaneValue) or not decided.is_number:
        return None
    inside = last.then in loop.blocks
    return any(bool(lane) == inside for lane in decided.lanes)
