"""Races of templates that nothing in sight instantiates, whatever their numbers are.

In: the facts of a kernel whose template arguments are not all known. Out: the races that instances
with chosen numbers have, each of them: which two threads meet then does not depend on the choice.
An instance that a `static_assert` rules out, or that no GPU could run, is none.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, permutations
from math import prod
from typing import TYPE_CHECKING

from ...ir.kernel import Launch
from ...ir.memory import Space
from ..launch.assumed_launch import MAX_THREADS
from ..launch.flat_blocks import is_flat
from ..warp_evaluation.lane_values import WARP

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...ir.kernel import Dimensions, Kernel
    from ...ir.operations import MemoryAccess
    from .facts import RaceFacts
    from .race import Race

_ANY = (None, None, None)
_LOOKED_AT = 5  # specimens that all have to show a race
_MADE = 16  # and those that are made to find so many
_ROOM = 96 * 1024  # bytes of shared memory
_ELEMENT = 4  # bytes of an element of an unknown type


def races_of_specimens(facts: RaceFacts) -> tuple[Race, ...]:
    """The races that are definite in each of several specimens."""
    agreed: dict[Hashable, Race] = {}
    looked_at = 0
    for own in _fitting(facts):
        found = {identity(race): race for race in own.races if race.definite}
        if looked_at:
            found = {
                key: _better(race, agreed[key]) for key, race in found.items() if key in agreed
            }
        agreed = found
        looked_at += 1
        if not agreed or looked_at == _LOOKED_AT:
            break
    return tuple(agreed.values()) if looked_at > 1 else ()


def _fitting(facts: RaceFacts) -> Iterator[RaceFacts]:
    """The facts of instances whose arrays the assumed block does not leave; where a guessed one
    does, those of a block that has as many threads as a number of the template says.
    """
    options = replace(facts.options, doubted=False)
    for kernel in islice(facts.kernel.specimens(), _MADE):
        if not _can_be(kernel):
            continue
        own = type(facts)(kernel, facts.module, options)
        if _leaves_arrays(own) and all(each.launch.unsettled for each in own.launches):
            others = (type(facts)(each, facts.module, options) for each in _with_blocks(kernel))
            own = next((each for each in others if not _leaves_arrays(each)), own)
        if not _leaves_arrays(own):
            yield own


def _leaves_arrays(facts: RaceFacts) -> bool:
    """Whether threads leave an array, whatever sizes are assumed."""
    return any(all(run.seen.leaving for run in each.runs.scenarios) for each in facts.block_races)


def _with_blocks(kernel: Kernel) -> Iterator[Kernel]:
    """An instance as it would be launched with blocks of the template's numbers."""
    numbers = [(name, each) for name, each in kernel.chosen if isinstance(each, int)]
    rows = [(f"as many threads as {name} says", (each, 1, 1)) for name, each in numbers]
    squares = [
        (f"as many threads as {name} and {other} say", (x, y, 1))
        for (name, x), (other, y) in permutations(() if is_flat(kernel) else numbers, 2)
    ]
    launches = kernel.launches or [Launch(kernel.name, _ANY, _ANY, None, kernel.span)]
    tried: set[Dimensions] = set()
    for origin, block in (*rows, *squares):
        if block not in tried and WARP <= prod(block) <= MAX_THREADS:
            tried.add(block)
            made = [replace(each, block=block, origin=origin) for each in launches]
            yield replace(kernel, launches=made)


def _better(race: Race, other: Race) -> Race:
    """The one whose threads are of two warps: what orders them orders lanes as well."""
    return other if race.conflict.same_warp else race


def _can_be(kernel: Kernel) -> bool:
    """Whether an instance compiles, fits a GPU, and has more than a warp to work with."""
    if kernel.refused:
        return False
    most = kernel.bounds.max_threads
    if most is not None and not WARP <= most <= MAX_THREADS:
        return False
    room = 0
    for item in kernel.objects_in(Space.SHARED):
        if item.dynamic:
            continue
        if item.size is None and None in item.extents:
            return False
        size = item.size or prod(each or 0 for each in item.extents) * _ELEMENT
        if size <= 0:
            return False
        room += size
    return room <= _ROOM


def identity(race: Race) -> Hashable:
    """What tells races apart in all instances of a kernel."""
    return frozenset(_place(access) for access in race.candidate.accesses)


def _place(access: MemoryAccess) -> Hashable:
    """Where an access stands, and the calls that it was inlined through."""
    location = access.location
    return access.kind, location.span, *(call.span for call in location.call_chain())
