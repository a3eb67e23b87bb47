"""Every access of a kernel to shared and global memory with what it costs in one launch.

In: a launch of a kernel. Out: one `CountedAccess` for each access, in program order, also for those
that could not be analysed, which carry the reason. An asynchronous copy has two sides: a store to
shared memory and a load from global memory; an atomic that becomes a loop has a load besides.
Accesses to local, constant and parameter memory are left out: the compiler decides whether they
exist.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...hardware.sectors import SECTOR_BYTES
from ...ir.memory import Space
from ...ir.operations import AccessKind, MemoryAccess
from ...ir.types import VOID
from ...source.records import dataclass
from ..warp_evaluation.reasons import HOPELESS, NOT_EXECUTED
from ..warp_evaluation.warp_evaluator import Unevaluable
from .access_totals import Totals, global_totals, shared_totals
from .cost_bounds import bounds_of
from .executions import LIMIT, LaunchExecutions
from .global_accesses import GlobalAccess, evaluate_global_access
from .shared_accesses import SharedAccess, becomes_loop, evaluate_shared_access

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .cost_bounds import CostBounds
    from .facts import TrafficLaunch

_SHOWN = frozenset({Space.SHARED, Space.GLOBAL, Space.GENERIC})


@dataclass(frozen=True, slots=True)
class Side:
    """What an access costs in one memory, shared or global; `totals` is None when they are not
    known.
    """

    outcome: SharedAccess | GlobalAccess
    totals: Totals | None
    reason: str = ""  # why there are no totals


@dataclass(frozen=True, slots=True)
class CountedAccess:
    """One access and what it costs in one launch; `reason` says why it was not analysed."""

    launch: TrafficLaunch
    access: MemoryAccess
    space: Space  # the destination's, for an asynchronous copy
    shared: Side | None = None
    global_side: Side | None = None
    reason: str = ""
    sizes: tuple[str, ...] = ()  # parameters taken for any large number
    never: bool = False  # no thread of the launch executes it: the totals are 0
    bounds: CostBounds | None = None  # what it may cost, where data or a size decides

    @property
    def judged(self) -> bool:
        """Whether its cost is known, or how much it may be and what decides."""
        return not self.reason or self.bounds is not None

    @property
    def sides(self) -> tuple[Side, ...]:
        """One, none when nothing is executed or known, two for an asynchronous copy."""
        return tuple(side for side in (self.shared, self.global_side) if side is not None)


def totalled_accesses(launch: TrafficLaunch, limit: int = LIMIT) -> tuple[CountedAccess, ...]:
    """The accesses to shared and global memory, and those that may be, with what they cost in total
    where no more than `limit` different executions add up to it.
    """
    return tuple(_rows(launch, _Rows(launch, totals=True, limit=limit)))


def counted_accesses(launch: TrafficLaunch) -> tuple[CountedAccess, ...]:
    """The accesses with what they cost in total, or bounds of that where no more is to be known."""
    return tuple(_with_bounds(row, briefly=False) for row in totalled_accesses(launch))


def judged_accesses(launch: TrafficLaunch) -> tuple[CountedAccess, ...]:
    """The accesses of a launch and whether their cost is known, without totals: those take longer
    to count than to see that they can be.
    """
    rows = _rows(launch, _Rows(launch, totals=False))
    return tuple(_with_bounds(row, briefly=True) for row in rows)


def _with_bounds(row: CountedAccess, *, briefly: bool) -> CountedAccess:
    if not row.reason:
        return row
    return replace(row, bounds=bounds_of(row.launch, row.access, row.reason, briefly=briefly))


def _rows(launch: TrafficLaunch, table: _Rows) -> Iterator[CountedAccess]:
    shared = {item.access: item for item in launch.shared_accesses}
    global_ = {item.access: item for item in launch.global_accesses}
    for access in launch.facts.accesses:
        if access.kind is AccessKind.ASYNC_COPY:
            yield table.copy(access)
        elif access in shared:
            row = table.row(access, shared[access], None)
            yield _repeated(row) if becomes_loop(access) else row
            if becomes_loop(access):
                yield _repeated(_load_of_loop(launch, access))
        elif access in global_:
            row = table.row(access, None, global_[access])
            yield row if not row.reason or row.reason in HOPELESS else table.in_examples(row)
        elif access.kind is not AccessKind.PREFETCH:
            spaces = launch.facts.points_to.spaces(access)
            if spaces & _SHOWN:
                reason = "the address may point to any memory"
                yield CountedAccess(launch, access, Space.GENERIC, reason=reason)


class _Rows:
    """Makes the rows of one launch; totals are only counted where they are asked for."""

    def __init__(self, launch: TrafficLaunch, *, totals: bool, limit: int = LIMIT) -> None:
        self._launch = launch
        self._totals = totals
        self._executions = LaunchExecutions(launch, limit)

    def row(
        self, access: MemoryAccess, shared: SharedAccess | None, global_: GlobalAccess | None
    ) -> CountedAccess:
        """The row of an access that touches one memory, or both as a copy does."""
        launch = self._launch
        reason = (shared.reason if shared else "") or (global_.reason if global_ else "")
        space = Space.SHARED if shared else Space.GLOBAL
        if reason == NOT_EXECUTED and self._executions.of(access, SECTOR_BYTES) == ():
            return CountedAccess(launch, access, space, never=True)
        if reason:
            return CountedAccess(launch, access, space, reason=reason)
        return CountedAccess(
            launch,
            access,
            space,
            self._side(shared) if shared else None,
            self._side(global_) if global_ else None,
        )

    def in_examples(self, row: CountedAccess) -> CountedAccess:
        """The row with what the access costs block by block, or in every example if that is one
        number. Where totals are not asked for the cheaper question comes first.
        """
        if self._totals:
            return self._counted_by_block(row) or self._as_in_examples(row) or row
        return self._as_in_examples(row) or self._counted_by_block(row) or row

    def _counted_by_block(self, row: CountedAccess) -> CountedAccess | None:
        """The row with what the access costs, added up block by block."""
        first = self._launch.examples.first_block(row.access)
        totals = None if first is None else global_totals(first, self._executions)
        if first is None or not isinstance(totals, Totals):
            return None
        return CountedAccess(row.launch, row.access, row.space, None, Side(first, totals))

    def _as_in_examples(self, row: CountedAccess) -> CountedAccess | None:
        """The row with what the access costs in every example."""
        examples = self._launch.examples
        outcome = examples.outcome(row.access)
        if outcome is None:
            return None
        sizes = tuple(parameter.name for parameter in examples.sizes)
        side = Side(outcome, None, "the access size is unknown" if sizes else row.reason)
        return CountedAccess(row.launch, row.access, row.space, None, side, sizes=sizes)

    def copy(self, access: MemoryAccess) -> CountedAccess:
        """An asynchronous copy: each side is evaluated as an access of its own."""
        launch = self._launch
        spaces = launch.facts.points_to.spaces(access)
        if spaces != {Space.SHARED} or len(access.operands) < 2 or access.width is None:
            reason = "a bulk copy" if access.width is None else "its memory spaces are unknown"
            space = next(iter(spaces)) if len(spaces) == 1 else Space.GENERIC
            return CountedAccess(launch, access, space, reason=reason)
        kind = AccessKind.ASYNC_COPY
        return self.row(
            access,
            evaluate_shared_access(launch, _part(access, 0, Space.SHARED, kind)),
            evaluate_global_access(launch, _part(access, 1, Space.GLOBAL, kind)),
        )

    def _side(self, outcome: SharedAccess | GlobalAccess) -> Side:
        if not self._totals:
            return Side(outcome, None)
        if isinstance(outcome, SharedAccess):
            totals = shared_totals(outcome, self._executions)
        else:
            totals = global_totals(outcome, self._executions)
        if isinstance(totals, Unevaluable):
            return Side(outcome, None, totals.reason)
        return Side(outcome, totals)


def _load_of_loop(launch: TrafficLaunch, access: MemoryAccess) -> CountedAccess:
    """The load of the old value in the compare-and-swap loop that an atomic becomes."""
    load = _part(access, 0, Space.SHARED, AccessKind.LOAD)
    outcome = evaluate_shared_access(launch, load)
    if outcome.reason:
        return CountedAccess(launch, load, Space.SHARED, reason=outcome.reason)
    return CountedAccess(launch, load, Space.SHARED, Side(outcome, None))


def _repeated(row: CountedAccess) -> CountedAccess:
    """A row of the loop that an atomic becomes: nobody knows its number of iterations."""
    if row.shared is None:
        return row
    reason = "how often an atomic retries depends on the order of the lanes"
    return replace(row, shared=Side(row.shared.outcome, None, reason))


def _part(access: MemoryAccess, operand: int, space: Space, kind: AccessKind) -> MemoryAccess:
    """One thing that an access does, as an access at the same place of the program."""
    part = MemoryAccess(
        kind,
        VOID,
        [access.operands[operand]],
        access.location,
        space=space,
        width=access.width,
        element=access.element,
        volatile=True,  # the compiler merges it with nothing
        name=access.name,
    )
    part.block = access.block
    return part
