"""The races that one finding tells of: those of one kind, over one object, at one place.

In: the races of a kernel. Out: groups, each with the race that shows it best. Many such places
between two decisions, as in code that is unrolled by hand, are one group: they have one cause. So
are the arrays that one function is called for, where it is the same two lines of it that race, and
the arrays at which the same two threads meet at the same place, where one barrier mends all: the
earlier accesses stand in one block of the code before all the later ones, as those of `x[t]` and
`y[t]` before `x[t + 1]` and `y[t + 1]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...source.records import dataclass
from ..conflicts.race_kinds import RaceKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess
    from ..block_execution.access_events import Rank
    from .facts import RaceFacts
    from .race import Race

_FAR = 1 << 20  # lines
MANY = 4  # places in one stretch of code that one finding tells of
#: Of lanes that run in step each line has its own cure; updates are counted line by line.
_BARRIERS = frozenset({RaceKind.BARRIER, RaceKind.BARRIER_IN_LOOP})
_IN_STRETCHES = frozenset({RaceKind.WRITES, RaceKind.BARRIER, RaceKind.BARRIER_IN_LOOP})


@dataclass(frozen=True, slots=True)
class RaceGroup:
    """Races of one kind, over one object, at one place of the source, the best witness first."""

    races: tuple[Race, ...]
    also: tuple[MemoryAccess, ...] = ()  # the later accesses at the other places of the stretch
    alike: tuple[Race, ...] = ()  # the best of each other array that the function is called for

    @property
    def best(self) -> Race:
        """The one to tell of."""
        return self.races[0]

    @property
    def others(self) -> int:
        """How many more there are."""
        return len(self.races) - 1


def crosses_blocks(group: RaceGroup) -> bool:
    """Whether the accesses of a group of races also meet between blocks, where no barrier orders
    them.
    """
    if group.best.conflict.item.space is Space.SHARED:
        return False
    pairs = {_pair(race) for race in group.races}
    return any(_pair(race) in pairs for race in group.best.races.between_blocks)


def _pair(race: Race) -> frozenset[MemoryAccess]:
    return frozenset(race.candidate.accesses)


def grouped(facts: RaceFacts, *kinds: RaceKind) -> list[RaceGroup]:
    """The races of these kinds, one group for each object and line of the later access; those that
    a doubt silences stand apart, where they are asked for.

    Where an update is not atomic, that is all there is to say of the line; a copy that nothing
    waits for is reported as such. What lanes that run in step store alike is part of that.
    """
    updated = {_place(race) for race in facts.races if race.kind is RaceKind.UPDATE}
    in_step = {
        race.conflict.item
        for race in facts.races
        if race.kind is RaceKind.WARP_BARRIER and race.definite
    }
    unwaited = {(each.copy.location, each.read.location) for each in facts.unwaited_copies}
    return [
        group
        for races in (facts.races, facts.silenced_races)
        for group in _grouped(races, kinds, updated)
        if not _goes_without_saying(group.best, in_step)
        and tuple(access.location for access in group.best.candidate.accesses) not in unwaited
    ]


def _goes_without_saying(race: Race, in_step: set[MemoryObject]) -> bool:
    """Whether lanes store one value to an array over which a warp is reported to run in step."""
    conflict = race.conflict
    alike = race.kind is RaceKind.EQUAL_WRITES
    return alike and conflict.same_warp and conflict.item in in_step


def _grouped(
    races: tuple[Race, ...], kinds: tuple[RaceKind, ...], updated: set[tuple[object, ...]]
) -> Iterator[RaceGroup]:
    groups: dict[tuple[object, ...], list[Race]] = {}
    for race in races:
        place = _place(race)
        if race.kind in kinds and (race.kind is RaceKind.UPDATE or place not in updated):
            groups.setdefault((race.kind, *place), []).append(race)
    found = [RaceGroup(tuple(sorted(group, key=_rank))) for group in groups.values()]
    yield from _stretches(_by_barrier(_by_function(found)))


def _by_function(groups: list[RaceGroup]) -> list[RaceGroup]:
    """The groups, those at one place of a function that is called for several arrays as one."""
    places: dict[object, list[RaceGroup]] = {}
    for group in groups:
        race = group.best
        pair = race.candidate.accesses
        called = all(access.location.inlined_at is not None for access in pair)
        place = (race.kind, race.definite, *map(_line, pair)) if called else id(group)
        places.setdefault(place, []).append(group)
    return [_joined(many) for many in places.values()]


def _by_barrier(groups: list[RaceGroup]) -> list[RaceGroup]:
    """The groups, those of arrays that are accessed side by side and that one barrier mends as
    one.
    """
    places: dict[object, list[RaceGroup]] = {}
    for group in groups:
        race = group.best
        conflict = race.conflict
        first, second = conflict.first, conflict.second
        pattern: object = id(group)
        if race.kind in _BARRIERS and not (group.alike or group.also):
            threads = (first.thread, second.thread, conflict.offset, conflict.item.space)
            blocks = (first.access.block, second.access.block, race.loop)
            kinds = (first.access.kind, second.access.kind, first.access.width)
            pattern = (race.kind, race.definite, threads, blocks, kinds)
        places.setdefault(pattern, []).append(group)
    return [
        each
        for many in places.values()
        for each in ([_joined(sorted(many, key=_start))] if _is_one_barrier(many) else many)
    ]


def _is_one_barrier(groups: list[RaceGroup]) -> bool:
    """Whether groups are of one array each, and a barrier can stand between all of their pairs."""
    if len(groups) < 2 or len({each.best.conflict.item for each in groups}) < len(groups):
        return False
    earlier, later = zip(*(each.best.conflict.accesses for each in groups), strict=True)
    block = later[0].block
    if groups[0].best.loop is not None or earlier[0].block is not block:
        return True
    order = {operation: at for at, operation in enumerate(block.operations)}
    return max(order[each] for each in earlier) < min(order[each] for each in later)


def _joined(groups: list[RaceGroup]) -> RaceGroup:
    """Groups of several arrays as one."""
    first, *others = groups
    races = (*first.races, *(race for group in others for race in group.races))
    return RaceGroup(races, alike=tuple(group.best for group in others))


def _stretches(groups: list[RaceGroup]) -> Iterator[RaceGroup]:
    """The groups, those of one stretch of code as one where they are many."""
    stretches: dict[object, list[RaceGroup]] = {}
    for group in groups:
        race = group.best
        stretch = (race.kind, race.conflict.item, race.definite, _later(race).block)
        key = stretch if race.kind in _IN_STRETCHES else id(group)
        stretches.setdefault(key, []).append(group)
    for many in stretches.values():
        if len(many) < MANY:
            yield from many
            continue
        first, *others = sorted(many, key=lambda group: _later(group.best).location.span.line)
        races = (*first.races, *(race for group in others for race in group.races))
        yield RaceGroup(races, tuple(_later(group.best) for group in others), first.alike)


def _start(group: RaceGroup) -> int:
    """Where the later access stands in the text."""
    return _later(group.best).location.span.start


def _later(race: Race) -> MemoryAccess:
    return race.conflict.second.access


def _place(race: Race) -> tuple[object, ...]:
    return (race.conflict.item, _line(_later(race)))


def _line(access: MemoryAccess) -> tuple[str, int]:
    """The line of the source, as far as it is known."""
    location = access.location
    if location.origin is not None:
        return location.origin[:2]
    return location.span.path, location.span.line


def _rank(race: Race) -> tuple[bool, Rank, int]:
    """What makes the race to tell of: of several earlier accesses the nearest one."""
    return (not race.definite, race.conflict.rank, _distance(race))


def _distance(race: Race) -> int:
    """How many lines before the later access the earlier one stands; behind it is farther still."""
    first, second = (touch.access.location for touch in (race.conflict.first, race.conflict.second))
    lines = second.span.line - first.span.line
    return lines if lines >= 0 else _FAR - lines
