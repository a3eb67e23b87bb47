"""Elements of a thread's own arrays that are read and never written.

In: the facts of a CUDA kernel. Out: for each array with an element that a load comes to and no
store does, but for what updates it (`s[3] += x`), the first such load. Every store has to be at
places that are numbers after unrolling, whatever decides about it; a load only counts where the
loops that count its index are all that decides about it within them.
Example: `float s[4]; for (j = 0; j < 3; j++) s[j] = 0; ... s[3] += x`. What a load gives may not be
taken at all: nobody has a use for it, or a select decides, as for the accumulators of a matrix
product. Not handled: arrays that go to calls, indices that are not constant, several arrays behind
one pointer: nothing is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, MemoryAccess, Opcode
from ...source.records import dataclass
from ..pointers.element_places import counting_loops, places_of
from .unwritten import escaped, is_left_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ir.memory import MemoryObject
    from ..races.facts import RaceFacts

_MOST_BYTES = 65_536  # that one store writes: no array of a thread that anybody has is larger


@dataclass(frozen=True, slots=True)
class UnwrittenElement:
    """A load of an element of a thread's own array that nothing stores to."""

    load: MemoryAccess
    item: MemoryObject
    index: int


def unwritten_elements(facts: RaceFacts) -> Iterator[UnwrittenElement]:
    """The first load of an element never written, for each of a thread's own arrays."""
    if facts.kernel.status != "full" or facts.kernel.language != "cuda":
        return
    given_away = escaped(facts, stores=False)
    if None in given_away:
        return
    for item in facts.kernel.objects:
        if item.space is Space.LOCAL and item not in given_away and not _has_values(item):
            accesses = _accesses(facts, item)
            if any(each.writes for each in accesses):
                yield from _first_unwritten(facts, item, accesses)


def _has_values(item: MemoryObject) -> bool:
    return item.initialised or item.constructed or item.pointee or item.dynamic


def _accesses(facts: RaceFacts, item: MemoryObject) -> list[MemoryAccess]:
    """The accesses of an array; none where something else is done with it."""
    uses = facts.uses_of_objects.get(item, ())
    accesses = [each for each, place in uses if isinstance(each, MemoryAccess) and not place]
    alone = all(
        facts.points_to.object_of(each) is item
        and each.width is not None
        and each.kind in (AccessKind.LOAD, AccessKind.STORE)
        for each in accesses
    )
    stored = any(isinstance(each, MemoryAccess) and place for each, place in uses)
    return accesses if alone and not stored else []


def _first_unwritten(
    facts: RaceFacts, item: MemoryObject, accesses: Sequence[MemoryAccess]
) -> Iterator[UnwrittenElement]:
    written: set[int] = set()
    for store in (each for each in accesses if each.writes and not _is_update(facts, each)):
        places = places_of(facts, store)
        if places is None or len(places) * (store.width or 0) > _MOST_BYTES:
            return
        written |= _bytes(store, places)
    loads = [each for each in accesses if not each.writes and _is_taken(facts, each)]
    for load in sorted(loads, key=lambda each: each.location.span.start):
        places = places_of(facts, load)
        if places is None or len(places) * (load.width or 0) > _MOST_BYTES:
            continue
        if not _comes_to_all(facts, load) or is_left_out(facts, load):
            continue
        missing = [place for place in sorted(places) if written.isdisjoint(_bytes(load, {place}))]
        if missing and load.width:
            yield UnwrittenElement(load, item, missing[0] // load.width)
            return


def _is_update(facts: RaceFacts, store: MemoryAccess) -> bool:
    return any(_is_taken(facts, each) for each in facts.updates.get(store, ()))


def _is_taken(facts: RaceFacts, load: MemoryAccess) -> bool:
    """Whether something takes what is loaded, whatever is decided."""
    return any(each.opcode is not Opcode.SELECT for each in facts.users.get(load, ()))


def _bytes(access: MemoryAccess, places: frozenset[int] | set[int]) -> set[int]:
    return {place + byte for place in places for byte in range(access.width or 0)}


def _comes_to_all(facts: RaceFacts, load: MemoryAccess) -> bool:
    """Whether nothing but the ends of the loops decides about a load in them."""
    loops = counting_loops(facts, load)
    inside = {block for loop in loops for block in loop.blocks}
    exits = {block for loop in loops for block in loop.exits}
    edges = facts.flow.controlling_edges(load.block)
    return all(each.branch not in inside or each.branch in exits for each in edges)
