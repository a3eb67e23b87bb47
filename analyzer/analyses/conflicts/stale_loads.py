"""Loads by the read-only path that may see what the kernel has written since it began.

In: a kernel's facts. Out: such loads from an object that the kernel writes, each with every such
write, and whether the two places differ by what the kernel computes alone: whether one thread's
load comes to another's store shows in a run of both then (`races/shown_stale_loads.py`). Left out
are elements that belong to the thread that loads them: it stores to the very same place after.
Whoever else came to that place would race with that store anyway. The two addresses are the same
when they are computed alike; counters of two loops are alike where they begin, step and end alike,
as in `for (j...) x[j] = __ldg(a + t + 32 * j); for (j...) a[t + 32 * j] = x[j];`. The load may see
a store to its place that comes before it, a store to any place with a barrier between the two, and
in a loop that does not come to another element each time the stores of iterations before. (The PTX
ISA, "ld", leaves the result undefined wherever anybody writes; what counts here is what GPUs do.)
Places that nothing is known of, as where a constant stands in a header that was not found, may be
the same, and show nothing; nor do two entries of one list of indices, `x[list[k]]` beside
`x[list[n + j]]`, two pointers of one list, `queues[now]` beside `queues[now ^ 1]`, members of a
class that share no byte, and what data chooses behind other sizes that the host passes: parts into
which it cuts one buffer.
Not handled: loops that come to one element again, as `a[i % 2]`; whether a store that stands in a
branch of its own follows, unless all threads of a block load from one place.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...ir.operation_kinds import AccessForm, Function
from ...ir.operations import AccessKind, Barrier, MemoryAccess, Phi, Pure
from ...ir.types import Kind
from ...ir.values import Parameter, Special, SpecialRegister, Unknown
from ...source.records import dataclass
from ..dataflow.affine import affine
from ..dataflow.induction import induction, is_invariant, loop_tests
from ..dataflow.paths import Waypoints, can_reach
from ..dataflow.slices import backward_slice, loads_in, registers_in
from ..dataflow.value_numbering import ValueNumbering
from ..pointers.member_places import are_apart, part_of
from ..pointers.pointer_chain import pointers_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...ir.memory import MemoryObject
    from ...ir.values import Value
    from .facts import ConflictFacts

_THREAD = {Special.THREAD_X, Special.THREAD_Y, Special.THREAD_Z, Special.LANE, Special.WARP}


@dataclass(frozen=True, slots=True)
class StaleLoad:
    """A load by the read-only path, and a write of the same kernel to the same object that it may
    miss.
    """

    load: MemoryAccess
    write: MemoryAccess
    item: MemoryObject
    computed: bool  # unordered, two different places, and no data has a part in where they are


def stale_loads(facts: ConflictFacts) -> Iterator[StaleLoad]:
    """Loads by the read-only path from an object that the kernel writes, with each such write."""
    written: dict[MemoryObject, list[MemoryAccess]] = {}
    for access in facts.accesses:
        item = facts.points_to.object_of(access)
        if access.writes and item is not None:
            written.setdefault(item, []).append(access)
    places = _Places(facts)
    for access in facts.accesses:
        item = facts.points_to.object_of(access)
        if access.form is not AccessForm.READ_ONLY or item is None:
            continue
        for met, before in places.met(access, written.get(item, [])):
            computed = not before and places.are_computed(access, met)
            yield StaleLoad(access, met, item, computed)


class _Places:
    """Which accesses come to one place."""

    def __init__(self, facts: ConflictFacts) -> None:
        self._facts = facts
        self._names = ValueNumbering()
        self._named: set[Phi] = set()
        self._found: dict[MemoryAccess, Hashable] = {}
        self._unknown: dict[MemoryAccess, bool] = {}
        self._barriers = Waypoints(facts.flow, lambda each: isinstance(each, Barrier))

    def met(
        self, load: MemoryAccess, writes: list[MemoryAccess]
    ) -> Iterator[tuple[MemoryAccess, bool]]:
        """The writes that the load may see, and whether it is sure to come after them."""
        place = self._place(load)
        writes = [each for each in writes if not self._is_elsewhere(each, load)]
        own = [each for each in writes if self._place(each) == place]
        if any(self._is_unknown(each) for each in (load, *writes)):
            return
        if not any(self._follows(load, each) for each in own):
            yield from ((each, False) for each in writes)
        for write in writes:
            if write.kind is not AccessKind.STORE or self._comes_before(write, load, own):
                yield write, True

    def are_computed(self, load: MemoryAccess, write: MemoryAccess) -> bool:
        """Whether two places differ, and neither depends on what is loaded."""
        apart = self._place(load) != self._place(write)
        return apart and not any(self._lists(each) for each in (load, write))

    def _is_elsewhere(self, write: MemoryAccess, load: MemoryAccess) -> bool:
        """Whether a write is to other members, or at another entry of a list of indices."""
        if self._place(write) == self._place(load):
            return False
        if self._chosen(write) != self._chosen(load):
            return True
        one, other = part_of(write), part_of(load)
        if one is None or other is None:
            return False
        alike = self._names.of(one.base) == self._names.of(other.base)
        if alike and are_apart(one, replace(other, base=one.base)):
            return True
        lists = self._lists(load)
        if lists and self._begin(write) != self._begin(load):
            return True
        return not self._lists(write).isdisjoint(lists)

    def _begin(self, access: MemoryAccess) -> frozenset[Hashable]:
        """The sizes that are added to where an object begins: those that the host passes."""
        return frozenset(
            (self._names.of(term), factor)
            for term, factor in affine(access.address).factors.items()
            if term.type.kind is Kind.INTEGER and self._is_of_host(term)
        )

    def _is_of_host(self, term: Value) -> bool:
        parts = list(backward_slice(term))
        passed = any(isinstance(part, Parameter) for part in parts)
        return passed and not any(
            isinstance(part, SpecialRegister | Phi | MemoryAccess) for part in parts
        )

    def _lists(self, access: MemoryAccess) -> set[MemoryObject | None]:
        """The arrays that the index of an access is loaded from."""
        loads = (each for each in loads_in(access.address) if each.type.kind is Kind.INTEGER)
        return {*map(self._facts.points_to.object_of, loads)} - {None}

    def _chosen(self, access: MemoryAccess) -> Hashable:
        """The pointer that was taken out of a list of pointers, by an index that is no constant."""
        *_, first = pointers_of(access.address, self._facts.points_to)
        parts = (each for each in backward_slice(first) if isinstance(each, Pure))
        chosen = any(each.function is Function.PART for each in parts)
        return self._names.of(first) if chosen else None

    def _comes_before(
        self, write: MemoryAccess, load: MemoryAccess, own: list[MemoryAccess]
    ) -> bool:
        flow = self._facts.flow
        if not can_reach(flow, write, load):
            return False
        assert load.block is not None
        assert write.block is not None
        around = [each for each in flow.loop_nest(load.block) if write.block in each.blocks]
        if not around or not can_reach(flow, load, write):
            return write in own or bool(self._barriers.passes_through(write, load))
        return not all(load.address in self._facts.variance.of(loop) for loop in around)

    def _follows(self, load: MemoryAccess, store: MemoryAccess) -> bool:
        """Whether who loads from the place stores there."""
        if registers_in(load.address) & _THREAD:
            return True
        assert load.block is not None
        assert store.block is not None
        return self._facts.flow.post_dominators.dominates(store.block.index, load.block.index)

    def _place(self, access: MemoryAccess) -> Hashable:
        if access not in self._found:
            self._name_counters(access.address)
            self._found[access] = self._names.of(access.address)
        return self._found[access]

    def _is_unknown(self, access: MemoryAccess) -> bool:
        if access not in self._unknown:
            parts = backward_slice(access.address)
            self._unknown[access] = any(isinstance(part, Unknown) for part in parts)
        return self._unknown[access]

    def _name(self, phi: Phi) -> None:
        """Let counters that begin, step and end alike have one name."""
        if phi in self._named:
            return
        self._named.add(phi)
        flow = self._facts.flow
        counter, loop = induction(flow, phi), flow.innermost_loop.get(phi.block)
        if counter is None or loop is None:
            return
        ends = [
            (test.opcode, test.bound)
            for test in loop_tests(loop)
            if is_invariant(test.bound, loop)
            and (test.tested is phi or test.tested in phi.operands)
        ]
        held = [counter.first, *(step for step, _ in counter.steps), *(bound for _, bound in ends)]
        self._name_counters(*held)
        of = self._names.of
        steps = tuple((of(value), sign) for value, sign in counter.steps)
        last = tuple((opcode, of(bound)) for opcode, bound in ends)
        self._names.give(phi, ("counter", of(counter.first), steps, last))

    def _name_counters(self, *values: Value) -> None:
        for part in backward_slice(*values):
            if isinstance(part, Phi):
                self._name(part)
