"""Values that a thread must hold at once because of how it uses its own arrays.

Problem: register pressure, for the one part of it that a source shows: an array that is kept in
registers, every index of it a constant after unrolling. Two shapes hold its elements together:

- a loop of unknown length, which is not unrolled, reads or updates elements that come from before
  it (`sum[i] += a[k] * b[k * n + i]` for each k): all of them cross its back edge;
- a nest of loops of known length makes each element of several others, so that unrolling leaves a
  graph of values. It is scheduled (list scheduling of expression graphs, after Sethi and Ullman,
  1970): elements that are ready at once come first, then those that are wanted next, each with
  what it needs, and the values that are still needed are counted. A compiler may find a better
  order, so that the count is no bound from below; `MARGIN` leaves room for it.

In: the facts of a CUDA kernel. Out: the array and its number of 32-bit values held at once.
Example: 64 sums of a tile in a loop over k hold 64 registers. Not handled: elements of less than 32
bits, which may share registers; several arrays, scalars and addresses beside the array; arrays
whose elements are all constants; loads that the compiler makes once more instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import MemoryAccess
from ...source.records import dataclass
from ..dataflow.slices import loads_in
from ..pointers.element_places import places_of
from ..pointers.local_arrays import STATIC, judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ir.memory import MemoryObject
    from ..dataflow.control_flow import Loop
    from ..races.facts import RaceFacts

_WORD = 4  # bytes
_LARGEST = 4_096  # bytes of an array that may be in registers, in part
_MOST_UPDATES = 4_096
MARGIN = 2  # a scheduled graph has to take so many times the registers that there are
_Graph = tuple[list[tuple[int, ...]], list[int]]  # what each value needs; the last of each element


@dataclass(frozen=True, slots=True)
class Held:
    """An array of a thread, and how many registers it takes where there are no more than `cap`."""

    item: MemoryObject
    registers: int
    cap: int


def held_at_once(facts: RaceFacts, cap: int) -> Held | None:
    """The array of a thread that alone takes more registers than there are."""
    if facts.kernel.language != "cuda":
        return None
    for item in facts.kernel.objects:
        if item.space is Space.LOCAL and _WORD * cap <= (item.size or 0) <= _LARGEST:
            uses = _Uses.of(facts, item)
            if uses is None:
                continue
            registers = uses.registers(cap)
            if registers >= cap:
                return Held(item, registers, cap)
    return None


class _Uses:
    """The accesses of one array, each of whose places is a number after unrolling."""

    def __init__(
        self, facts: RaceFacts, item: MemoryObject, accesses: Sequence[MemoryAccess]
    ) -> None:
        self._facts = facts
        self._item = item
        self._stores = [each for each in accesses if each.writes]
        self._loads = [each for each in accesses if not each.writes]
        self._comes_to: dict[MemoryAccess, frozenset[int]] = {}

    @classmethod
    def of(cls, facts: RaceFacts, item: MemoryObject) -> _Uses | None:
        """The accesses of an array of words that holds what memory held."""
        if judge(facts, item).pattern != STATIC:
            return None
        accesses = [
            operation
            for operation, place in facts.uses_of_objects.get(item, ())
            if isinstance(operation, MemoryAccess) and not place
        ]
        if any(each.width is None or each.width % _WORD for each in accesses):
            return None
        loaded = (
            any(load not in accesses for load in loads_in(each.operands[1]))
            for each in accesses
            if each.writes
        )
        return cls(facts, item, accesses) if any(loaded) else None

    def registers(self, cap: int) -> int:
        """How many registers it takes, as far as that is `cap` or more."""
        carried = max(map(self.carried, self._facts.flow.loops), default=0)
        if carried >= cap:
            return carried
        scheduled = self.scheduled()
        return scheduled if scheduled >= MARGIN * cap else carried

    def carried(self, loop: Loop) -> int:
        """How many words cross the back edge of a loop of unknown length."""
        if self._facts.compile_time.at_most(loop) is not None:
            return 0
        needed: set[int] = set()
        for load in self._loads:
            if load.block in loop.blocks:
                needed |= self._words(load)
        for store in self._stores:
            if store.block in loop.blocks and store not in self._facts.updates:
                needed -= self._words(store)  # made anew in each iteration
        return len(needed)

    def scheduled(self) -> int:
        """How many words are held when the one statement that makes elements of others runs."""
        makers = [each for each in self._stores if self._taken(each)]
        if len(makers) != 1:
            return 0
        graph = self._graph(makers[0])
        return 0 if graph is None else _values_held(*graph) * (makers[0].width or 0) // _WORD

    def _taken(self, store: MemoryAccess) -> list[MemoryAccess]:
        return [load for load in loads_in(store.operands[1]) if load in self._loads]

    def _graph(self, store: MemoryAccess) -> _Graph | None:
        """The values that the elements have one after the other, and what each is made of."""
        nest, loads = self._facts.flow.loop_nest(store.block), self._taken(store)
        if any(self._facts.flow.loop_nest(load.block) != nest for load in loads):
            return None
        latest: dict[int, int] = {}
        needs: list[tuple[int, ...]] = []

        def current(place: int) -> int:
            if place not in latest:
                latest[place] = len(needs)
                needs.append(())
            return latest[place]

        known = self._facts.compile_time
        iterations = known.each_iteration(nest[::-1], _MOST_UPDATES)
        taken = [known.offsets(load.address, iterations) for load in loads]
        for made, *places in zip(known.offsets(store.address, iterations), *taken, strict=True):
            if made is None or None in places:
                return None
            sources = tuple(current(each) for each in dict.fromkeys(places) if each is not None)
            latest[made] = len(needs)
            needs.append(sources)
        return needs, list(latest.values())

    def _words(self, access: MemoryAccess) -> frozenset[int]:
        """The words that an access comes to in all iterations of the loops that count it."""
        if access not in self._comes_to:
            words = range((access.width or 0) // _WORD)
            places = places_of(self._facts, access) or ()
            found = frozenset(place // _WORD + word for place in places for word in words)
            self._comes_to[access] = found
        return self._comes_to[access]


def _values_held(needs: Sequence[tuple[int, ...]], wanted: Sequence[int]) -> int:
    """The values that are held at once where those that are wanted are computed one by one."""
    users = [0] * len(needs)
    for value in (*wanted, *(each for made in needs for each in made)):
        users[value] += 1
    done: set[int] = set()
    held = most = 0
    waiting = dict.fromkeys(wanted)
    while waiting:
        ready = (value for value in waiting if done.issuperset(needs[value]))
        value = next(ready, next(iter(waiting)))
        del waiting[value]
        for step in _missing(value, needs, done):
            done.add(step)
            held += 1
            for each in needs[step]:
                users[each] -= 1
                held -= not users[each]
            most = max(most, held)
        users[value] -= 1  # it goes to memory, or on
        held -= not users[value]
    return most


def _missing(value: int, needs: Sequence[tuple[int, ...]], done: set[int]) -> Iterator[int]:
    """What is to be computed for a value and is not yet, itself last."""
    stack = [value]
    while stack:
        top = stack[-1]
        if top in done:
            stack.pop()
            continue
        first = next((each for each in needs[top] if each not in done), None)
        if first is None:
            yield stack.pop()
        else:
            stack.append(first)
