"""The 32 addresses of an access in each warp, iteration by iteration of the loops around it.

In: an access and a launch. Out: addresses and active lanes, or the reason there are none. One pair
of them stands for all iterations when the iteration only moves every lane by the same amount; the
loops are stepped through when it does more, or when a guard depends on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import AccessKind
from ...source.records import dataclass
from .iteration_spans import Formula, UndecidedError
from .iterations import Seen
from .lane_values import LaneValue, Product, constant
from .open_types import width_of
from .reasons import (
    NOT_EXECUTED,
    OUT_OF_BUDGET,
    UNKNOWN_BLOCK,
    UNKNOWN_STRIDE,
    UNKNOWN_WIDTH,
)
from .warp_evaluator import IterationNumber, Unevaluable

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from ...ir.block import Block
    from ...ir.operations import MemoryAccess
    from ..dataflow.control_flow import Loop
    from .facts import WarpLaunch
    from .guards import Guarded, Guards, Mask
    from .iterations import Inside, Iteration
    from .lane_values import Coefficient
    from .warp_evaluator import WarpEvaluator

    Placed = tuple[LaneValue, int, Guarded]

_WIDTHS = (1, 2, 4, 8, 16)  # bytes that one thread moves at once


Offsets = tuple[int | None, ...]  # of each lane; None for lanes that take no part


def moved(offsets: Offsets, shift: int) -> Offsets:
    """The offsets with all lanes that take part moved alike."""
    if not shift:
        return offsets
    return tuple([None if offset is None else offset + shift for offset in offsets])


@dataclass(frozen=True, slots=True)
class WarpIteration:
    """One warp executing the access once; `number` counts the iterations of the loops around it.

    Iterations that only move the warp share one `start`.
    """

    warp: int
    number: int
    start: Offsets
    shift: int  # how far all lanes are from there
    terms: tuple[tuple[Hashable, Coefficient], ...]  # what is not known, the same for all lanes

    @property
    def offsets(self) -> Offsets:
        """Where each lane is; None for lanes that take no part."""
        return moved(self.start, self.shift)

    @property
    def executed(self) -> bool:
        """Whether any lane takes part."""
        return self.start.count(None) < len(self.start)


@dataclass(frozen=True, slots=True)
class Sweep:
    """What every warp of the block does at an access."""

    iterations: tuple[WarpIteration, ...]
    assumed: frozenset[Block]  # guards taken to let every lane through
    complete: bool  # every iteration of the loops was looked at


def sweep(launch: WarpLaunch, access: MemoryAccess) -> Sweep | Unevaluable:
    """The access in all warps that are looked at; Unevaluable when one of them is not known."""
    if not launch.launch.trusted:
        return Unevaluable(UNKNOWN_BLOCK)
    if access.kind in (AccessKind.TILE_LOAD, AccessKind.TILE_STORE):
        return Unevaluable("the bytes that each lane of a tile accesses are unspecified")
    width = width_of(launch.launch, access)
    if width not in _WIDTHS:
        return Unevaluable(f"{width} bytes per thread" if width else UNKNOWN_WIDTH)
    iterations: list[WarpIteration] = []
    assumed: set[Block] = set()
    complete = True
    for warp in launch.warps():
        outcome = _iterations_of_warp(launch, access, warp)
        if isinstance(outcome, Unevaluable):
            return outcome
        complete = complete and outcome.complete
        starts: dict[tuple[int, int], Offsets] = {}
        for number, (value, shift, guarded) in enumerate(outcome.iterations):
            key = (id(value.lanes), id(guarded))  # one object for iterations that are alike
            if key not in starts:
                assumed |= guarded.assumed
                starts[key] = _active(value.lanes, guarded.mask)
            iterations.append(WarpIteration(warp, number, starts[key], shift, value.terms))
    if not any(iteration.executed for iteration in iterations):
        return Unevaluable(NOT_EXECUTED)
    return Sweep(tuple(iterations), frozenset(assumed), complete)


def _active(lanes: tuple[int, ...], mask: Mask) -> Offsets:
    """What the lanes that take part hold."""
    if all(mask):
        return lanes
    pairs = zip(lanes, mask, strict=True)
    return tuple([lane if active else None for lane, active in pairs])


@dataclass(frozen=True, slots=True)
class _IterationsOfWarp:
    """Addresses, how far they are moved, and masks of one warp, for each iteration looked at."""

    iterations: tuple[Placed, ...]
    complete: bool = True


def _iterations_of_warp(
    launch: WarpLaunch, access: MemoryAccess, warp: int
) -> _IterationsOfWarp | Unevaluable:
    """The addresses and masks of one warp, iteration by iteration where the loop's iteration
    matters.
    """
    if launch.facts.budget.used_up:
        return Unevaluable(OUT_OF_BUDGET)
    first = look(launch, access, launch.evaluator(warp))
    if not any(first[1].mask):
        return _IterationsOfWarp(((constant(0), 0, first[1]),))  # wherever it would lead
    if isinstance(first[0], LaneValue) and not first[1].assumed:
        return _IterationsOfWarp(((first[0], 0, first[1]),))
    nest = launch.facts.flow.loop_nest(access.block)
    if nest and not launch.brief and _depends_on_iterations(launch, access, first, nest):
        stepped = _step_through(launch, access, warp, nest)
        if stepped is not None:
            return stepped
    if isinstance(first[0], LaneValue):
        return _IterationsOfWarp(((first[0], 0, first[1]),))
    return first[0]


def _depends_on_iterations(
    launch: WarpLaunch,
    access: MemoryAccess,
    first: tuple[LaneValue | Unevaluable, Guarded],
    nest: Sequence[Loop],
) -> bool:
    """Whether what is not known may be known in an iteration: else every iteration looks like this
    one.
    """
    value, guarded = first
    if any(branch in nest[-1].blocks for branch in guarded.assumed):
        return True
    if isinstance(value, LaneValue):
        return False
    return any(access.address in launch.facts.variance.of(loop) for loop in nest)


def _step_through(
    launch: WarpLaunch, access: MemoryAccess, warp: int, nest: Sequence[Loop]
) -> _IterationsOfWarp | None:
    """Every iteration of the loops that are known, from the innermost outwards."""
    for depth in range(len(nest), 0, -1):
        iterations = launch.iterations(warp, nest[:depth])
        if iterations is None:
            continue
        looked: list[Placed] = []
        for iteration in iterations.each:
            value, shift, guarded = _placed_in(access, iteration)
            if isinstance(value, Unevaluable):
                return None
            looked.append((value, shift, guarded))
        if looked:
            return _IterationsOfWarp(tuple(looked), iterations.complete)
    return None


def look_in(access: MemoryAccess, iteration: Iteration) -> tuple[LaneValue | Unevaluable, Guarded]:
    """The addresses and active lanes in one iteration of the loops."""
    value, shift, guarded = _placed_in(access, iteration)
    if shift and isinstance(value, LaneValue):
        value = LaneValue(tuple([lane + shift for lane in value.lanes]), value.terms)
    return value, guarded


def _placed_in(
    access: MemoryAccess, iteration: Iteration
) -> tuple[LaneValue | Unevaluable, int, Guarded]:
    """The addresses, how far the iteration moves all of them, and the active lanes."""
    alike = iteration.alike
    while alike is not None:
        seen = alike.seen.get(access)
        if seen is None:
            seen = alike.seen[access] = _formula(access, alike)
        if seen.guarded is not None:
            if not isinstance(seen.value, Formula):
                return seen.value, 0, seen.guarded
            value, shift = seen.value.in_iteration(iteration.numbers)
            return _shifting(value) if seen.value.apart else value, shift, seen.guarded
        alike = alike.half(iteration.numbers)
    assert iteration.own is not None
    own, guarded = _look(access, iteration.own.evaluator, iteration.own.guards)
    return own, 0, guarded


def _formula(access: MemoryAccess, alike: Inside) -> Seen:
    """The addresses and active lanes in all of several iterations."""
    try:
        value, guarded = _values(access, alike.evaluator, alike.guards)
    except UndecidedError:
        return Seen(Unevaluable("differs between iterations"))
    if isinstance(value, Unevaluable):
        return Seen(value, guarded)
    formula = Formula.of(value)
    shifting = _shifting(formula.value)  # what differs between iterations is asked in each
    if isinstance(shifting, Unevaluable) and not formula.apart:
        return Seen(shifting, guarded)
    return Seen(formula, guarded)


def look(
    launch: WarpLaunch, access: MemoryAccess, evaluator: WarpEvaluator
) -> tuple[LaneValue | Unevaluable, Guarded]:
    """The addresses as one evaluator sees them, and the active lanes."""
    return _look(access, evaluator, launch.guards(evaluator))


def _look(
    access: MemoryAccess, evaluator: WarpEvaluator, guards: Guards
) -> tuple[LaneValue | Unevaluable, Guarded]:
    value, guarded = _values(access, evaluator, guards)
    return _shifting(value), guarded


def _values(
    access: MemoryAccess, evaluator: WarpEvaluator, guards: Guards
) -> tuple[LaneValue | Unevaluable, Guarded]:
    guarded = guards.of(access.block)
    return evaluator.value_in(access.block, access.address), guarded


def _shifting(value: LaneValue | Unevaluable) -> LaneValue | Unevaluable:
    """The addresses, unless the distance between lanes is not known."""
    if isinstance(value, Unevaluable) or value.shifts_only:
        return value
    return Unevaluable(_symbolic_stride(value))


def _symbolic_stride(value: LaneValue) -> str:
    symbols: list[Hashable] = []
    for name, coefficient in value.terms:
        if not isinstance(coefficient, int):
            symbols += name.factors if isinstance(name, Product) else [name]
    names = dict.fromkeys(map(_readable, symbols))
    return UNKNOWN_STRIDE + ", ".join(names)


def _readable(symbol: Hashable) -> str:
    if isinstance(symbol, IterationNumber):
        return "the loop iteration"
    return str(getattr(symbol, "name", "") or getattr(symbol, "variable", "") or "a value")
