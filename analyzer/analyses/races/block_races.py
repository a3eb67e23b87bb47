"""Races of a block: conflicts with two named threads, sorted by what is missing.

In: a kernel's facts. Out: `Race` values, each with the two threads, the numbers assumed and what
speaks against it. A block of each launch is run in three scenarios (`block_runs.py`); each conflict
is sorted by what its accesses lack, and the doubts (`doubts/registry.py`) are asked about it, up to
the first one that holds: a race that has none is definite.
Blocks are compared in `grid_races.py`. Not handled: most accesses whose addresses come from memory,
see `updates.py` and `indirect_addresses.py`; aliasing parameters count as different objects.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from ...ir.operations import AccessKind
from ..conflicts.checked_counters import is_checked_count
from ..conflicts.dead_reads import only_reads
from ..conflicts.race_context import RaceContext
from ..conflicts.race_kinds import RaceKind
from ..conflicts.updates import is_in_step, is_read_before_barrier, is_update_of
from ..doubts.question.candidates import BlockCandidate
from ..doubts.question.doubt import answers, first_doubt
from ..launch.allowance import METER, OutOfWorkError, allowance
from ..warp_evaluation.lane_values import WARP
from .race import Race
from .specimens import specimens, with_blocks

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...ir.kernel import Kernel
    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess
    from ..block_execution.access_events import Conflict
    from ..conflicts.block_runs import BlockRuns
    from ..dataflow.control_flow import Loop
    from ..doubts.question.candidates import GridCandidate
    from ..doubts.question.doubt import Answer
    from .facts import RaceFacts, RaceLaunch
    from .grid_races import GridRaces

_RUN, _PART = 8, 4  # instances that are run at most, and the part of the work that each may take
_AGREEING = 2  # instances at least in which it is definite
_LOOKED_AT = 5  # instances that were made up, all of which have to have a race
_Races = dict[tuple["MemoryAccess", "MemoryAccess"], Race]


class BlockRaces(RaceContext):
    """The races in one block of one launch, and between its blocks."""

    launch: RaceLaunch

    @cached_property
    def between_blocks(self) -> tuple[Race, ...]:
        """The races of threads of different blocks."""
        return self._grid_races.found

    @cached_property
    def _grid_races(self) -> GridRaces:
        from .grid_races import GridRaces

        return GridRaces(self)

    @cached_property
    def found(self) -> tuple[Race, ...]:
        """Every race that does harm, the definite ones with the better witness."""
        return tuple(self._judged[0].values())

    @cached_property
    def silenced(self) -> tuple[Race, ...]:
        """The conflicts that do no harm, of a block and of the grid."""
        return (*self._judged[1].values(), *self._grid_races.silenced)

    def meet_in_a_block(self, pair: tuple[MemoryAccess, MemoryAccess]) -> bool:
        """Whether threads of one block meet at one of two accesses, which is then judged there."""
        return any(not set(pair).isdisjoint(each) for judged in self._judged for each in judged)

    @cached_property
    def _judged(self) -> tuple[_Races, _Races]:
        found: _Races = {}
        benign: _Races = {}
        for candidate, loop in self._candidates():
            from ..doubts.registry import OF_A_BLOCK

            key = candidate.accesses
            race = Race(candidate, self, first_doubt(OF_A_BLOCK, candidate, candidate.kind), loop)
            if race.benign:
                benign.setdefault(key, race)
            elif key not in found or race.definite > found[key].definite:
                found[key] = race
        return found, benign

    @property
    def candidates(self) -> Iterator[BlockCandidate | GridCandidate]:
        """The conflicts of all runs, of a block and of the grid, each to be judged."""
        yield from (candidate for candidate, _ in self._candidates())
        yield from self._grid_races.candidates

    def _candidates(self) -> Iterator[tuple[BlockCandidate, Loop | None]]:
        for run in self.runs.all:
            for alike, conflicts in ((False, run.seen.found), (True, run.seen.equal)):
                for conflict in conflicts.values():
                    loop = self._loop_between(conflict)
                    kind = self._kind(conflict, loop, alike=alike)
                    yield BlockCandidate(self, conflict, kind, run), loop

    def _kind(self, conflict: Conflict, loop: Loop | None, *, alike: bool) -> RaceKind:
        first, second = conflict.accesses
        if alike:
            return RaceKind.EQUAL_WRITES
        updates = loop is None and self._both_update(conflict)
        if (updates or (first is second and loop is None)) and self._is_in_step(conflict):
            return RaceKind.WARP_BARRIER
        if updates:
            return RaceKind.UPDATE
        if is_checked_count(self.launch.facts, first, second):
            return RaceKind.CHECK
        if first is second and loop is None:
            return RaceKind.WRITES
        if conflict.same_warp and self._is_for_one_warp(conflict):
            return RaceKind.WARP_BARRIER
        return RaceKind.BARRIER if loop is None else RaceKind.BARRIER_IN_LOOP

    def _is_in_step(self, conflict: Conflict) -> bool:
        """Whether lanes of one warp, which alone come there, do together what one would do."""
        facts, store = self.launch.facts, conflict.second.access
        if not conflict.same_warp or store.kind is not AccessKind.STORE:
            return False
        return conflict.item not in self._shared_by_warps and is_in_step(
            store, facts.updates, self.launch.uniformity
        )

    def _both_update(self, conflict: Conflict) -> bool:
        """Whether two threads make one update, and not one of them while the other looks on."""
        facts, count = self.launch.facts, self.launch.launch.threads
        first, second = conflict.first, conflict.second
        return (
            is_update_of(facts.updates, first.access, second.access)
            and not (
                only_reads(facts, first, second, count) or only_reads(facts, second, first, count)
            )
            and not is_read_before_barrier(facts, second.access)
        )

    def _is_for_one_warp(self, conflict: Conflict) -> bool:
        """Whether lanes in step were meant to order a conflict: both accesses are volatile, as
        before there was `__syncwarp()`, the block has rows of whole warps, or only lanes meet.
        """
        x, y, z = self.launch.launch.block
        by_steps = all(each.volatile for each in conflict.accesses)
        whole = y * z == 1 or x % WARP == 0
        return by_steps or whole or conflict.item not in self._shared_by_warps

    @cached_property
    def _shared_by_warps(self) -> frozenset[MemoryObject]:
        """The objects over which threads of different warps are in conflict, too, whatever the
        sizes: a barrier of the block is missing there, and orders the lanes of a warp as well.
        """
        found = [
            {each.item for each in run.seen.found.values() if not each.same_warp}
            for run in self.runs.scenarios
        ]
        return frozenset(set.intersection(*found) if found else ())

    def _loop_between(self, conflict: Conflict) -> Loop | None:
        """The loop around both accesses in whose iterations they differ."""
        flow = self.program.flow
        first, second = conflict.first, conflict.second
        ours, theirs = (flow.loop_nest(touch.access.block) for touch in (first, second))
        for place, (one, other) in enumerate(zip(reversed(ours), reversed(theirs), strict=False)):
            if one is not other:
                return None
            if first.event.iterations[place] != second.event.iterations[place]:
                return one
        return None


def races(facts: RaceFacts) -> tuple[Race, ...]:
    """The races of a kernel with the first doubt of each, each pair of accesses once: for the
    launch that shows it best.
    """
    found: _Races = {}
    for each in facts.block_races:
        for race in (*each.found, *each.between_blocks):
            key = race.candidate.accesses
            if key not in found or race.definite > found[key].definite:
                found[key] = race
    return tuple(found.values())


def with_races_of_specimens(facts: RaceFacts, found: tuple[Race, ...]) -> tuple[Race, ...]:
    """The races of a kernel; those of a template with the ones that each of several instances has,
    definite in two of them at least, in all where several numbers are made up, where the file has
    none. What only some of them have is possible. No more of them are looked at than can decide.
    """
    agreed: dict[Hashable, list[Race]] = {}
    some: dict[Hashable, list[Race]] = {}
    settled = {race.places for race in found if race.definite}
    settled -= {race.places for race in found if not race.definite}
    several = False  # numbers of the template, of which nobody says how they relate
    for turn, (made, races) in enumerate(islice(_races_of_specimens(facts), _LOOKED_AT)):
        several |= sum(isinstance(number, int) for _, number in made.chosen) > 1
        best = {each.places: each for each in sorted(races, key=_worth) if not each.benign}
        agreed = {
            key: [*agreed.get(key, ()), race]
            for key, race in best.items()
            if key in agreed or not turn
        }
        for key, race in best.items():
            some.setdefault(key, []).append(race)
        if not facts.options.doubted:
            least = turn + 1 if several else _AGREEING + turn + 1 - _LOOKED_AT
            agreed = {
                key: each
                for key, each in agreed.items()
                if key not in settled and _definite(each) >= least
            }
            if not agreed:
                return found
    definite = {
        key: max(each, key=_worth)
        for key, each in agreed.items()
        if _definite(each) >= (len(each) if several else _AGREEING)
    }
    if facts.options.doubted:
        possible = {race.places for race in found} | definite.keys()
        found += tuple(each[0] for key, each in agreed.items() if key not in possible)
        possible |= agreed.keys()
        repeated = (each for key, each in some.items() if key not in possible)
        found += tuple(_of_some(each) for each in repeated if len(each) >= _AGREEING)
    known = {race.places for race in found if race.definite}
    kept = (race for race in found if race.definite or race.places not in definite)
    return (*kept, *(race for key, race in definite.items() if key not in known))


def _definite(races: list[Race]) -> int:
    return sum(race.definite for race in races)


def _of_some(races: list[Race]) -> Race:
    """A race that some instances have, the best of them, and others not."""
    from ..doubts.numbers import other_sizes

    race = max(races, key=_worth)
    known = other_sizes.DOUBT in race.doubts
    return race if known else replace(race, doubts=(*race.doubts, other_sizes.DOUBT))


def _worth(race: Race) -> tuple[bool, bool]:
    """How well a race is shown: threads of two warps say more, as what orders them orders lanes."""
    return race.definite, not race.conflict.same_warp


def _races_of_specimens(facts: RaceFacts) -> Iterator[tuple[Kernel, tuple[Race, ...]]]:
    """Each instance of a template whose arrays the assumed block does not leave, with its races.
    Each takes a part of the work that is left, and is passed over where that is not enough; half of
    the work is kept for what else is asked.
    """
    options, kept = replace(facts.options, doubted=False), METER.left / 2
    for kernel in islice(specimens(facts.kernel), _RUN):
        if METER.left < kept:
            return
        found: tuple[Race, ...] | None = None
        with suppress(OutOfWorkError), allowance(METER.left / _PART):
            own = _fitting(type(facts)(kernel, facts.module, options))
            found = None if own is None else own.races
        if found is not None:
            yield kernel, found


def _fitting(facts: RaceFacts) -> RaceFacts | None:
    """The facts of an instance with a block that does not leave its arrays: with as many threads as
    a number of the template says, where a guessed one does.
    """
    if not _leaves_arrays(facts):
        return facts
    if not all(each.launch.unsettled for each in facts.launches):
        return None
    others = map(facts.of_kernel, with_blocks(facts.kernel))
    return next((each for each in others if not _leaves_arrays(each)), None)


def _leaves_arrays(facts: RaceFacts) -> bool:
    """Whether threads leave an array, whatever sizes are assumed, or no run can show anything."""
    return any(_are_left(facts, each.runs) for each in facts.block_races)


def _are_left(facts: RaceFacts, runs: BlockRuns) -> bool:
    if not runs.tracked.accesses:
        return True
    first = runs.first if facts.spaces_with_ends else None
    if first is None or not first.seen.leaving:
        return False  # no other scenario is run for it
    return all(run.seen.leaving for run in runs.scenarios)


def silenced_races(facts: RaceFacts, known: tuple[Race, ...]) -> tuple[Race, ...]:
    """The conflicts in runs of a kernel that a doubt silences, each pair of accesses once, but for
    known races.
    """
    pairs = {race.candidate.accesses for race in known}
    found: _Races = {}
    for each in facts.block_races:
        for race in each.silenced:
            if race.candidate.accesses not in pairs:
                found.setdefault(race.candidate.accesses, race)
    return tuple(map(in_full, found.values()))


def in_full(race: Race) -> Race:
    """A race with all doubts that hold for it, where it has any."""
    if race.definite:
        return race
    doubts = [answer.doubt for answer in answers_about(race.candidate) if answer.holds]
    return replace(race, doubts=(*doubts, *(each for each in race.doubts if each not in doubts)))


def answers_about(candidate: BlockCandidate | GridCandidate) -> list[Answer]:
    """The answers to all doubts about a conflict; what that takes is not counted."""
    from ..doubts.registry import OF_A_BLOCK, OF_A_GRID

    with candidate.context.aside():
        if isinstance(candidate, BlockCandidate):
            return list(answers(OF_A_BLOCK, candidate, candidate.kind))
        return list(answers(OF_A_GRID, candidate, candidate.kind))
