"""The 32 addresses of an access in each warp, iteration by iteration of the loops around it.

In: an access and a launch. Out: addresses and active lanes, or the reason there are none. One pair
of them stands for all iterations when the iteration only moves every lane by the same amount; the
loops are stepped through when it does more, or when a guard depends on it. The warps of a block are
looked at together where they differ by their numbers only, else one by one.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ...hardware.sectors import LINE_BYTES
from ...ir.operations import AccessKind
from ...source.records import dataclass
from .facts import ALL_WARPS
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
    from collections.abc import Callable, Hashable, Sequence

    from ...ir.block import Block
    from ...ir.operations import MemoryAccess
    from ..dataflow.control_flow import Loop
    from .facts import WarpLaunch
    from .guards import Guarded, Guards, Mask
    from .iteration_spans import Numbers
    from .iterations import Inside, Iteration, Iterations
    from .lane_values import Coefficient
    from .warp_evaluator import WarpEvaluator

    Placed = tuple[LaneValue, int, Guarded]
    Placing = tuple[LaneValue | Unevaluable, int, Guarded]

_WIDTHS = (1, 2, 4, 8, 16)  # bytes that one thread moves at once


Offsets = tuple[int | None, ...]  # of each lane; None for lanes that take no part


def moved(offsets: Offsets, shift: int) -> Offsets:
    """The offsets of an access in 32 lanes, all that take part moved alike."""
    if not shift:
        return offsets
    return tuple([None if offset is None else offset + shift for offset in offsets])


@dataclass(frozen=True, slots=True)
class WarpIteration:
    """One warp executing an access once; `number` counts the iterations of the loops around it.

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
    """The addresses of an access in the lanes of every warp, iteration by iteration."""

    iterations: tuple[WarpIteration, ...]
    assumed: frozenset[Block]  # guards taken to let every lane through
    complete: bool  # every iteration of the loops was looked at


def sweep(launch: WarpLaunch, access: MemoryAccess) -> Sweep | Unevaluable:
    """The addresses of an access in all warps that are looked at; Unevaluable when one of them is
    not known.
    """
    if not launch.launch.trusted:
        return Unevaluable(UNKNOWN_BLOCK)
    if access.kind in (AccessKind.TILE_LOAD, AccessKind.TILE_STORE):
        return Unevaluable("the bytes that each lane of a tile accesses are unspecified")
    width = width_of(launch.launch, access)
    if width not in _WIDTHS:
        return Unevaluable(f"{width} bytes per thread" if width else UNKNOWN_WIDTH)
    warps = _Warps(launch, access)
    iterations: list[WarpIteration] = []
    assumed: set[Block] = set()
    complete = True
    starts: dict[tuple[int, int], Offsets] = {}
    kept: list[Sequence[Placed]] = []  # no other object gets the id of one of these
    for warp in launch.warps():
        outcome = _iterations_of_warp(launch, access, warp, warps)
        if isinstance(outcome, Unevaluable):
            return outcome
        complete = complete and outcome.complete
        kept.append(outcome.iterations)
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


class _Warps:
    """What the warps of a launch do at an access: found once for all of them where they differ by
    their numbers only, else for each.
    """

    def __init__(self, launch: WarpLaunch, access: MemoryAccess) -> None:
        self._launch = launch.unsized
        self._sized = launch
        self._access = access
        self._value: Formula | Unevaluable | None = None  # in all warps
        self._guarded: Guarded | None = None
        self._own: dict[tuple[int, int], tuple[LaneValue, LaneValue]] = {}
        spans = launch.warp_spans
        self._together = spans is not None
        self._numbers: dict[int, Numbers] = {}
        if spans is not None:
            self._numbers = {warp: spans.numbers(warp) for warp in launch.warps()}
            self._look()

    def _address(self, evaluator: WarpEvaluator) -> LaneValue | Unevaluable:
        """The addresses as an evaluator sees them, with the size that elements have."""
        return self._sized.sized(evaluator).value_in(self._access.block, self._access.address)

    def _look(self) -> None:
        launch, access = self._launch, self._access
        evaluator = launch.evaluator(ALL_WARPS)
        with suppress(UndecidedError):
            self._value = _formula_of(self._address(evaluator))
        if access.block not in launch.parting_blocks:
            try:
                self._guarded = launch.guards(evaluator).of(access.block)
            except UndecidedError:
                launch.parting_blocks.add(access.block)

    def first(self, warp: int) -> Placing:
        """The addresses, how far they are moved, and the active lanes, outside of all loops."""
        launch, access = self._launch, self._access
        guarded = self._guarded or launch.guards(launch.evaluator(warp)).of(access.block)
        if self._value is None:
            return _shifting(self._address(launch.evaluator(warp))), 0, guarded
        return *self._of_warp(warp, self._value, self._numbers[warp]), guarded

    def stepped(self, warp: int, nest: Sequence[Loop]) -> _IterationsOfWarp | None:
        """Every iteration of the loops that are known, from the innermost outwards."""
        launch, access = self._launch, self._access
        headers = tuple([loop.header for loop in nest])
        if self._together and headers not in launch.parting_nests:
            try:
                return _step_through(
                    lambda part: launch.iterations(ALL_WARPS, part),
                    lambda iteration: self._placed(warp, iteration),
                    nest,
                )
            except UndecidedError:
                self._together = False
        return _step_through(
            lambda part: launch.iterations(warp, part),
            lambda iteration: _placed_in(access, iteration, self._sized),
            nest,
        )

    def _placed(self, warp: int, iteration: Iteration) -> Placing:
        """The same as `first` in an iteration of all warps."""
        numbers = {**iteration.numbers, **self._numbers[warp]}
        seen = _seen_in(self._access, iteration, numbers, self._sized)
        assert seen.guarded is not None
        return *self._of_warp(warp, seen.value, numbers), seen.guarded

    def _of_warp(
        self, warp: int, seen: Formula | Unevaluable, numbers: Numbers
    ) -> tuple[LaneValue | Unevaluable, int]:
        """The addresses of one warp; what it is moved by parts of a line begins elsewhere."""
        value, shift = _one_of(seen, numbers)
        if not isinstance(value, LaneValue) or not isinstance(seen, Formula):
            return value, shift
        here = self._numbers[warp]
        by = sum([step * here[axis] for axis, step in seen.steps if axis in here])
        if by % LINE_BYTES == 0:
            return value, shift
        known = self._own.get((id(value), by))
        if known is None:
            lanes = tuple([lane + by for lane in value.lanes])
            known = self._own[id(value), by] = value, LaneValue(lanes, value.terms)
        return known[1], shift - by


def _iterations_of_warp(
    launch: WarpLaunch, access: MemoryAccess, warp: int, warps: _Warps
) -> _IterationsOfWarp | Unevaluable:
    """The addresses and masks of one warp, iteration by iteration where the loop's iteration
    matters.
    """
    if launch.facts.budget.used_up:
        return Unevaluable(OUT_OF_BUDGET)
    value, shift, guarded = warps.first(warp)
    if not any(guarded.mask):
        return _IterationsOfWarp(((constant(0), 0, guarded),))  # wherever it would lead
    if isinstance(value, LaneValue) and not guarded.assumed:
        return _IterationsOfWarp(((value, shift, guarded),))
    nest = launch.facts.flow.loop_nest(access.block)
    if nest and not launch.brief and _depends_on_iterations(launch, access, (value, guarded), nest):
        stepped = warps.stepped(warp, nest)
        if stepped is not None:
            return stepped
    if isinstance(value, LaneValue):
        return _IterationsOfWarp(((value, shift, guarded),))
    return value


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
    iterations_of: Callable[[Sequence[Loop]], Iterations | None],
    placed: Callable[[Iteration], Placing],
    nest: Sequence[Loop],
) -> _IterationsOfWarp | None:
    """Every iteration of the loops that are known, from the innermost outwards."""
    for depth in range(len(nest), 0, -1):
        iterations = iterations_of(nest[:depth])
        if iterations is None:
            continue
        looked: list[Placed] = []
        for iteration in iterations.each:
            value, shift, guarded = placed(iteration)
            if isinstance(value, Unevaluable):
                return None
            looked.append((value, shift, guarded))
        if looked:
            return _IterationsOfWarp(tuple(looked), iterations.complete)
    return None


def look_in(access: MemoryAccess, iteration: Iteration) -> tuple[LaneValue | Unevaluable, Guarded]:
    """The addresses of an access in the lanes of a warp, and the active lanes, in one iteration of
    the loops.
    """
    value, shift, guarded = _placed_in(access, iteration)
    if shift and isinstance(value, LaneValue):
        value = LaneValue(tuple([lane + shift for lane in value.lanes]), value.terms)
    return value, guarded


def _placed_in(
    access: MemoryAccess, iteration: Iteration, launch: WarpLaunch | None = None
) -> Placing:
    """The addresses, how far the iteration moves all of them, and the active lanes."""
    seen = _seen_in(access, iteration, iteration.numbers, launch)
    assert seen.guarded is not None
    return *_one_of(seen.value, iteration.numbers), seen.guarded


def _seen_in(
    access: MemoryAccess, iteration: Iteration, numbers: Numbers, launch: WarpLaunch | None = None
) -> Seen:
    """What is seen in an iteration, in others as well where it is the same there; by a launch that
    has a size for open types where it shares the iterations with others.
    """
    alike, key = iteration.alike, (access, None if launch is None else launch.launch.element)
    while alike is not None:
        seen = alike.seen.get(key)
        if seen is None:
            seen = alike.seen[key] = _alike_in(access, alike, launch)
        if seen.guarded is not None:
            return seen
        alike = alike.half(numbers)
    own = iteration.own
    assert own is not None
    seen = own.seen.get(key)
    if seen is None:
        value, guarded = _values(access, own.evaluator, own.guards, launch)
        seen = own.seen[key] = Seen(_formula_of(value), guarded)
    return seen


def _one_of(seen: Formula | Unevaluable, numbers: Numbers) -> tuple[LaneValue | Unevaluable, int]:
    """What was seen in several iterations, or warps, in one of them."""
    if not isinstance(seen, Formula):
        return seen, 0
    value, shift = seen.in_iteration(numbers)
    return _shifting(value) if seen.apart else value, shift


def _alike_in(access: MemoryAccess, alike: Inside, launch: WarpLaunch | None) -> Seen:
    """The addresses and active lanes in all of several iterations."""
    try:
        value, guarded = _values(access, alike.evaluator, alike.guards, launch)
    except UndecidedError:
        return Seen(Unevaluable("differs between iterations"))
    return Seen(_formula_of(value), guarded)


def _formula_of(value: LaneValue | Unevaluable) -> Formula | Unevaluable:
    """The addresses as a formula, unless the distance between lanes is not known."""
    if isinstance(value, Unevaluable):
        return value
    formula = Formula.of(value)
    shifting = _shifting(formula.value)  # what differs between iterations is asked in each
    if isinstance(shifting, Unevaluable) and not formula.apart:
        return shifting
    return formula


def look(
    launch: WarpLaunch, access: MemoryAccess, evaluator: WarpEvaluator
) -> tuple[LaneValue | Unevaluable, Guarded]:
    """The addresses of an access in the lanes of a warp, as one evaluator sees them, and the active
    lanes.
    """
    return _look(access, evaluator, launch.guards(evaluator))


def _look(
    access: MemoryAccess, evaluator: WarpEvaluator, guards: Guards
) -> tuple[LaneValue | Unevaluable, Guarded]:
    value, guarded = _values(access, evaluator, guards)
    return _shifting(value), guarded


def _values(
    access: MemoryAccess, evaluator: WarpEvaluator, guards: Guards, launch: WarpLaunch | None = None
) -> tuple[LaneValue | Unevaluable, Guarded]:
    guarded = guards.of(access.block)
    evaluator = evaluator if launch is None else launch.sized(evaluator)
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
