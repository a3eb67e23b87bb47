"""The 32 addresses of an access in one warp, round by round of the loops around it.

In: an access, a launch, a warp. Out: pairs of addresses and active lanes, or the reason there are
none. One pair stands for all rounds when the round only moves every lane by the same amount; the
loops are stepped through when it does more, or when a guard depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .lane_values import LaneValue, Product
from .loop_rounds import rounds_of
from .warp_evaluator import Iteration, Unevaluable

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ..ir.block import Block
    from ..ir.operations import MemoryAccess
    from .control_flow import Loop
    from .facts import LaunchFacts
    from .guards import Guarded
    from .warp_evaluator import WarpEvaluator

NOT_EXECUTED = "no thread of the assumed block executes it"


@dataclass(frozen=True, slots=True)
class AccessRounds:
    """Addresses and masks of one warp, one pair for each round that was looked at."""

    rounds: tuple[tuple[LaneValue, Guarded], ...]
    complete: bool = True


def rounds_of_access(
    launch: LaunchFacts, access: MemoryAccess, warp: int
) -> AccessRounds | Unevaluable:
    """The addresses and masks of one warp, round by round where the loop's round matters."""
    if launch.facts.budget.used_up:
        return Unevaluable("the kernel takes more work than the analysis allows itself")
    first = look(launch, access, launch.evaluator(warp))
    if isinstance(first[0], LaneValue) and not first[1].assumed:
        return AccessRounds(((first[0], first[1]),))
    assert access.block is not None
    nest = launch.facts.flow.loop_nest(access.block)
    if nest:
        stepped = _step_through(launch, access, warp, nest)
        if stepped is not None:
            return stepped
    if isinstance(first[0], LaneValue):
        return AccessRounds(((first[0], first[1]),))
    return first[0]


def _step_through(
    launch: LaunchFacts, access: MemoryAccess, warp: int, nest: list[Loop]
) -> AccessRounds | None:
    """Every round of the loops that are known, from the innermost outwards."""
    for depth in range(len(nest), 0, -1):
        rounds = rounds_of(launch, warp, nest[:depth])
        if rounds is None:
            continue
        looked: list[tuple[LaneValue, Guarded]] = []
        for round in rounds.rounds:
            evaluator = launch.new_evaluator(warp, bound=round.bound)
            value, guarded = look(launch, access, evaluator, round.lanes)
            if isinstance(value, Unevaluable):
                return None
            looked.append((value, guarded))
        if looked:
            return AccessRounds(tuple(looked), rounds.complete)
    return None


def look(
    launch: LaunchFacts,
    access: MemoryAccess,
    evaluator: WarpEvaluator,
    lanes: dict[Block, Guarded] | None = None,
) -> tuple[LaneValue | Unevaluable, Guarded]:
    """The addresses as one evaluator sees them, and the active lanes; `lanes` those in loops."""
    assert access.block is not None
    guarded = launch.guards(evaluator, lanes).of(access.block)
    value = evaluator.value_in(access.block, access.address)
    if isinstance(value, Unevaluable):
        return value, guarded
    if not value.shifts_only:
        return Unevaluable(_symbolic_stride(value)), guarded
    return value, guarded


def _symbolic_stride(value: LaneValue) -> str:
    symbols: list[Hashable] = []
    for name, coefficient in value.terms:
        if not isinstance(coefficient, int):
            symbols += name.factors if isinstance(name, Product) else [name]
    names = dict.fromkeys(map(_readable, symbols))
    return f"the stride between lanes depends on {', '.join(names)}"


def _readable(symbol: Hashable) -> str:
    if isinstance(symbol, Iteration):
        return "the loop's round"
    return str(getattr(symbol, "name", "") or getattr(symbol, "variable", "") or "a value")
