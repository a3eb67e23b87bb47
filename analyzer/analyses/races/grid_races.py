"""Races between blocks of a grid: two blocks at the same bytes of global memory.

In: the races of a block for one launch, for their runs. Out: `Race` values whose threads belong to
different blocks, found in the runs of some blocks (`conflicts/grid_runs.py`), each sorted by what
its accesses lack, with the first doubt that is to be had about it. Not handled: order that blocks
make among themselves (`conflicts/grid_accesses.py` leaves such accesses out), addresses that come
from memory.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...ir.operations import AccessKind
from ..block_execution.assumed_numbers import SizeScenario
from ..block_execution.launch_values import BLOCK_INDEX
from ..conflicts.grid_runs import GridRuns
from ..conflicts.race_kinds import RaceKind
from ..conflicts.updates import is_update_of, scales
from ..doubts.question.candidates import GridCandidate
from ..doubts.question.doubt import first_doubt
from ..pointers.memory_model import is_strong
from .race import Race

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.operations import MemoryAccess
    from ..block_execution.access_events import Conflict
    from ..conflicts.grid_runs import GridRun
    from .block_races import BlockRaces


class GridRaces:
    """The races between blocks of one launch."""

    def __init__(self, races: BlockRaces) -> None:
        self._races = races
        self._grid = GridRuns(races)

    @cached_property
    def found(self) -> tuple[Race, ...]:
        """Every race, those that only small sizes show where they are definite."""
        return tuple(race for race in self._judged if not _is_silenced(race))

    @cached_property
    def silenced(self) -> tuple[Race, ...]:
        """Those of small sizes that are not definite."""
        return tuple(filter(_is_silenced, self._judged))

    @cached_property
    def _judged(self) -> tuple[Race, ...]:
        return tuple(map(self._judge, self.candidates))

    def _judge(self, candidate: GridCandidate) -> Race:
        from ..doubts.registry import OF_A_GRID

        return Race(candidate, self._races, first_doubt(OF_A_GRID, candidate, candidate.kind))

    @property
    def candidates(self) -> Iterator[GridCandidate]:
        """The conflicts of all runs, each to be judged."""
        if not self._grid.may_meet:
            return
        # Where no block asks for its number, all write the same: what they update counts.
        launch = self._races.launch
        asks = not launch.facts.registers.isdisjoint(BLOCK_INDEX)
        several = asks or None not in launch.launch.grid
        for each in self._all:
            counts = is_update_of(launch.facts.updates, *each.accesses)
            if several or (counts and not self._races.meet_in_a_block(each.accesses)):
                yield each

    @property
    def _all(self) -> Iterator[GridCandidate]:
        run = self._grid.run(SizeScenario.EQUAL)
        for conflict in run.found.values():
            yield self._candidate(run, conflict)
        for key, conflict in run.equal.items():
            if key not in run.found:
                yield self._candidate(run, conflict, alike=True)
        yield from self._for_falling_data(run)
        yield from self._for_small_sizes(run)

    def _for_falling_data(self, rising: GridRun) -> Iterator[GridCandidate]:
        """The conflicts after comparisons of loaded values that hold when the first is greater."""
        if rising.numbers.loads and not all(map(rising.executes, self._grid.accesses.order)):
            run = self._grid.run(SizeScenario.FALLING)
            for pair, conflict in run.found.items():
                if pair not in rising.found:
                    yield self._candidate(run, conflict)

    def _for_small_sizes(self, large: GridRun) -> Iterator[GridCandidate]:
        """The conflicts that only show for sizes which guards let no whole block through."""
        guards = self._races.guards
        if any(guards.hold(*pair) for pair in self._grid.accesses.examples(guards.kind)):
            run = self._grid.run(SizeScenario.SMALL)
            for pair, conflict in run.found.items():
                if pair not in large.found and guards.hold(*pair):
                    yield self._candidate(run, conflict)

    def _candidate(self, run: GridRun, conflict: Conflict, *, alike: bool = False) -> GridCandidate:
        pair = conflict.accesses
        kind = RaceKind.EQUAL_WRITES if alike else self._kind(*pair)
        return GridCandidate(self._races, conflict, kind, run, self._grid)

    def _kind(self, first: MemoryAccess, second: MemoryAccess) -> RaceKind:
        if is_strong(first) and is_strong(second):
            return RaceKind.SCOPE
        updates = self._races.launch.facts.updates
        if is_update_of(updates, first, second):
            store = second if second.writes else first
            return RaceKind.BLOCKS if scales(store, updates) else RaceKind.UPDATE
        if first.kind is second.kind is AccessKind.STORE:
            return RaceKind.WRITES
        return RaceKind.BLOCKS


def _is_silenced(race: Race) -> bool:
    """Whether only small sizes show a race, and not for sure."""
    return not race.definite and race.candidate.run.scenario is SizeScenario.SMALL
