"""The 32 addresses of an access in each warp, round by round of the loops around it.

In: an access and a launch. Out: addresses and active lanes, or the reason there are none. One pair
of them stands for all rounds when the round only moves every lane by the same amount; the loops are
stepped through when it does more, or when a guard depends on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import AccessKind
from ...source.records import dataclass
from .iteration_spans import Formula, UndecidedError
from .iterations import Seen
from .lane_values import LaneValue, Product, constant
from .warp_evaluator import Iteration, Unevaluable

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from ...ir.block import Block
    from ...ir.operations import MemoryAccess
    from ..dataflow.control_flow import Loop
    from .facts import LaunchFacts
    from .guards import Guarded, Guards, Mask
    from .iterations import Inside, Round
    from .lane_values import Coefficient
    from .warp_evaluator import WarpEvaluator

    Placed = tuple[LaneValue, int, Guarded]

NOT_EXECUTED = "no thread of the assumed block executes it"
_WIDTHS = (1, 2, 4, 8, 16)  # bytes that one thread moves at once


Offsets = tuple[int | None, ...]  # of each lane; None for lanes that take no part


def moved(offsets: Offsets, shift: int) -> Offsets:
    """The offsets with all lanes that take part moved alike."""
    if not shift:
        return offsets
    return tuple([None if offset is None else offset + shift for offset in offsets])


@dataclass(frozen=True, slots=True)
class WarpRound:
    """One warp executing the access once; `number` counts the rounds of the loops around it.

    Rounds that only move the warp share one `start`.
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
        return any(offset is not None for offset in self.start)


@dataclass(frozen=True, slots=True)
class Sweep:
    """What every warp of the block does at an access."""

    rounds: tuple[WarpRound, ...]
    assumed: frozenset[Block]  # guards taken to let every lane through
    complete: bool  # every round of the loops was looked at


def sweep(launch: LaunchFacts, access: MemoryAccess) -> Sweep | Unevaluable:
    """The access in all warps that are looked at; Unevaluable when one of them is not known."""
    if not launch.launch.trusted:
        return Unevaluable("the block's shape is not known: set --block")
    if access.kind in (AccessKind.TILE_LOAD, AccessKind.TILE_STORE):
        return Unevaluable("which bytes of a tile a lane moves is not specified")
    if access.width not in _WIDTHS:
        known = f"{access.width} bytes per thread"
        return Unevaluable(known if access.width else "the size of the element type is not known")
    rounds: list[WarpRound] = []
    assumed: set[Block] = set()
    complete = True
    for warp in launch.warps():
        outcome = _rounds_of_warp(launch, access, warp)
        if isinstance(outcome, Unevaluable):
            return outcome
        complete = complete and outcome.complete
        starts: dict[tuple[int, int], Offsets] = {}
        for number, (value, shift, guarded) in enumerate(outcome.rounds):
            key = (id(value.lanes), id(guarded))  # one object for rounds that are alike
            if key not in starts:
                assumed |= guarded.assumed
                starts[key] = _active(value.lanes, guarded.mask)
            rounds.append(WarpRound(warp, number, starts[key], shift, value.terms))
    if not any(round.executed for round in rounds):
        return Unevaluable(NOT_EXECUTED)
    return Sweep(tuple(rounds), frozenset(assumed), complete)


def _active(lanes: tuple[int, ...], mask: Mask) -> Offsets:
    """What the lanes that take part hold."""
    if all(mask):
        return lanes
    pairs = zip(lanes, mask, strict=True)
    return tuple([lane if active else None for lane, active in pairs])


@dataclass(frozen=True, slots=True)
class _RoundsOfWarp:
    """Addresses, how far they are moved, and masks of one warp, for each round looked at."""

    rounds: tuple[Placed, ...]
    complete: bool = True


def _rounds_of_warp(
    launch: LaunchFacts, access: MemoryAccess, warp: int
) -> _RoundsOfWarp | Unevaluable:
    """The addresses and masks of one warp, round by round where the loop's round matters."""
    if launch.facts.budget.used_up:
        return Unevaluable("the kernel takes more work than the analysis allows itself")
    first = look(launch, access, launch.evaluator(warp))
    if not any(first[1].mask):
        return _RoundsOfWarp(((constant(0), 0, first[1]),))  # wherever it would lead
    if isinstance(first[0], LaneValue) and not first[1].assumed:
        return _RoundsOfWarp(((first[0], 0, first[1]),))
    assert access.block is not None
    nest = launch.facts.flow.loop_nest(access.block)
    if nest and _hangs_on_rounds(launch, access, first, nest):
        stepped = _step_through(launch, access, warp, nest)
        if stepped is not None:
            return stepped
    if isinstance(first[0], LaneValue):
        return _RoundsOfWarp(((first[0], 0, first[1]),))
    return first[0]


def _hangs_on_rounds(
    launch: LaunchFacts,
    access: MemoryAccess,
    first: tuple[LaneValue | Unevaluable, Guarded],
    nest: Sequence[Loop],
) -> bool:
    """Whether what is not known may be known in a round: else every round looks like this one."""
    value, guarded = first
    if any(branch in nest[-1].blocks for branch in guarded.assumed):
        return True
    if isinstance(value, LaneValue):
        return False
    return any(access.address in launch.facts.variance.of(loop) for loop in nest)


def _step_through(
    launch: LaunchFacts, access: MemoryAccess, warp: int, nest: Sequence[Loop]
) -> _RoundsOfWarp | None:
    """Every round of the loops that are known, from the innermost outwards."""
    for depth in range(len(nest), 0, -1):
        rounds = launch.rounds(warp, nest[:depth])
        if rounds is None:
            continue
        looked: list[Placed] = []
        for round in rounds.rounds:
            value, shift, guarded = _placed_in(access, round)
            if isinstance(value, Unevaluable):
                return None
            looked.append((value, shift, guarded))
        if looked:
            return _RoundsOfWarp(tuple(looked), rounds.complete)
    return None


def look_in(access: MemoryAccess, round: Round) -> tuple[LaneValue | Unevaluable, Guarded]:
    """The addresses and active lanes in one round of the loops."""
    value, shift, guarded = _placed_in(access, round)
    if shift and isinstance(value, LaneValue):
        value = LaneValue(tuple([lane + shift for lane in value.lanes]), value.terms)
    return value, guarded


def _placed_in(access: MemoryAccess, round: Round) -> tuple[LaneValue | Unevaluable, int, Guarded]:
    """The addresses, how far the round moves all of them, and the active lanes."""
    alike = round.alike
    while alike is not None:
        seen = alike.seen.get(access)
        if seen is None:
            seen = alike.seen[access] = _formula(access, alike)
        if seen.guarded is not None:
            if not isinstance(seen.value, Formula):
                return seen.value, 0, seen.guarded
            value, shift = seen.value.in_round(round.numbers)
            return _shifting(value) if seen.value.apart else value, shift, seen.guarded
        alike = alike.half(round.numbers)
    assert round.own is not None
    own, guarded = _look(access, round.own.evaluator, round.own.guards)
    return own, 0, guarded


def _formula(access: MemoryAccess, alike: Inside) -> Seen:
    """The addresses and active lanes in all of several rounds."""
    try:
        value, guarded = _values(access, alike.evaluator, alike.guards)
    except UndecidedError:
        return Seen(Unevaluable("it differs from round to round"))
    if isinstance(value, Unevaluable):
        return Seen(value, guarded)
    formula = Formula.of(value)
    shifting = _shifting(formula.value)  # what differs between rounds is asked in each
    if isinstance(shifting, Unevaluable) and not formula.apart:
        return Seen(shifting, guarded)
    return Seen(formula, guarded)


def look(
    launch: LaunchFacts, access: MemoryAccess, evaluator: WarpEvaluator
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
    assert access.block is not None
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
    return f"the stride between lanes depends on {', '.join(names)}"


def _readable(symbol: Hashable) -> str:
    if isinstance(symbol, Iteration):
        return "the loop's round"
    return str(getattr(symbol, "name", "") or getattr(symbol, "variable", "") or "a value")
