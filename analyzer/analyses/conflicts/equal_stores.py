"""Stores of two threads that write the same value: who comes last makes no difference.

In: two threads at two stores, or at one. Out: whether they are known to write the same: one number,
or one value that all threads of the block (of the warp, for two of its lanes) have, computed alike
from what the kernel does not write in one iteration of all loops, or from what every thread has
just stored itself, the same as all others (`first = 16 * blockIdx.x; last = first + width;`); or
what the place alone decides (`out[i] = in[i]` in two threads that both come to `i`), or what both
have loaded from one place (`tile[y + i] = in[first + y + i]` in several iterations) that stays as
it is till the next barrier, or copy from there asynchronously. Also which of them are flags that a
vote of the block could take the place of.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, MemoryAccess, Opcode, Operation, Phi, unconverted
from ...ir.values import Constant, ObjectAddress
from ..block_execution.thread_vectors import entries, entry_of, flags
from ..dataflow.slices import backward_slice, loads_in
from ..dataflow.value_numbering import alike
from ..pointers.memory_model import copied_from, is_part
from ..pointers.provenance import reads_memory
from ..warp_evaluation.lane_values import WARP
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...ir.values import Value
    from ..block_execution.access_events import Conflict, ThreadAccess
    from ..block_execution.run_context import AccessEvent
    from .tracked_accesses import Tracked

_STORES = (AccessKind.STORE, AccessKind.STORE)
_COPIES = (AccessKind.ASYNC_COPY, AccessKind.ASYNC_COPY)
_DEPTH = 8
_ARITHMETIC = frozenset(
    {Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.DIV, Opcode.REM, Opcode.MIN, Opcode.MAX}
    | {Opcode.SHL, Opcode.SHR, Opcode.AND, Opcode.OR, Opcode.NEG, Opcode.CONVERT}
)


def stores_alike(
    tracked: Tracked,
    first: ThreadAccess,
    second: ThreadAccess,
    since: Callable[[], Iterable[AccessEvent]] = tuple,
) -> bool:
    """Whether two conflicting stores are known to write the same value; `since` gives all visits
    since the last barrier, where they are known.
    """
    kinds = (first.access.kind, second.access.kind)
    if kinds != _STORES:
        return kinds == _COPIES and _bring_the_same(tracked, first, second)
    value, other = first.access.operands[1], second.access.operands[1]
    known = first.stored is not None and second.stored is not None
    if known and first.stored == second.stored:
        return True
    if tracked.launch.equal_formulas.store_the_same(first, second):
        return True
    if known and (value is other or not reads_memory(value)):
        return False  # numbers for what is loaded are ours, one for each load
    if _copy_one_place(tracked, first, second, since):
        return True
    same_place = first.access is second.access and first.address == second.address
    if same_place and tracked.determined_by_address(first.access, first.thread, second.thread):
        return True
    if isinstance(value, Constant) and isinstance(other, Constant):
        return value.value == other.value
    same_warp = first.thread // WARP == second.thread // WARP
    level = Uniformity.WARP if same_warp else Uniformity.BLOCK
    if not _agreed(tracked, value, level):
        return False
    if value is other:
        return first.event is second.event
    value, other = _repeated(value), _repeated(other)
    if not _in_one_iteration(tracked, first, second) and any(
        isinstance(each, Phi) for each in backward_slice(value)
    ):
        return False  # another iteration of a loop may make it another value
    return not any(map(tracked.may_change, loads_in(value))) and alike(value, other)


def _bring_the_same(tracked: Tracked, first: ThreadAccess, second: ThreadAccess) -> bool:
    """Whether two asynchronous copies of one constant length go from one place, which the kernel
    leaves as it is, to one place.
    """
    if not come_from_one_place(first, second) or first.address != second.address:
        return False
    lengths = [
        [each.value if isinstance(each, Constant) else None for each in touch.access.operands[2:]]
        for touch in (first, second)
    ]
    constant = not any(None in each for each in lengths) and lengths[0] == lengths[1]
    alike = constant and first.event.width == second.event.width is not None
    return alike and all(tracked.leaves_source(touch.access) for touch in (first, second))


def come_from_one_place(first: ThreadAccess, second: ThreadAccess) -> bool:
    """Whether two conflicting threads store what they loaded from one place, be it at different
    times.
    """
    return first.loaded_from is not None and first.loaded_from == second.loaded_from


class Copies(Enum):
    """Which two conflicting stores of loaded data write the same."""

    NONE = "none"
    OF_ONE_PLACE = "of one place"
    AS_FAR = "as far"  # moved over one and the same distance: a vector, and one of its elements


def _copy_one_place(
    tracked: Tracked,
    first: ThreadAccess,
    second: ThreadAccess,
    since: Callable[[], Iterable[AccessEvent]],
) -> bool:
    """Whether both store what stands at one place of memory that the kernel does not change, or
    nobody between the two barriers, be it a vector and one of its elements. Two parts of one copy
    that meet are no such thing: it is longer than what lies between the threads.
    """
    if first.loaded_from is None or second.loaded_from is None:
        return False
    key = (first.access, second.access)
    if key not in tracked.copies:  # asked for thousands of pairs of threads
        tracked.copies[key] = _copies(tracked, *key)
    copies, changing = tracked.copies[key]
    if copies is Copies.NONE:
        return False
    if copies is Copies.OF_ONE_PLACE and first.loaded_from != second.loaded_from:
        return False
    if copies is Copies.AS_FAR and _moved_by(first) != _moved_by(second):
        return False
    events = tuple(since()) if changing else ()
    return not changing or all(_finds_left(tracked, t, events) for t in (first, second))


def _copies(tracked: Tracked, *stores: MemoryAccess) -> tuple[Copies, bool]:
    """What two stores have to have in common, and whether a store may change what they copy."""
    first, second = stores
    if first is not second and first.location == second.location:
        return Copies.NONE, False
    loads = [load for load in map(copied_from, stores) if load is not None]
    items = set(map(tracked.launch.facts.points_to.object_of, loads))
    if len(loads) < len(stores) or len(items) > 1 or None in items:
        return Copies.NONE, False
    changing = any(map(tracked.may_change, loads))
    widths = {load.width for load in loads}
    if len(widths) > 1:
        whole = all(map(_moves_whole, stores, loads))
        return (Copies.AS_FAR if whole else Copies.NONE), changing
    types = {store.operands[1].type for store in stores}
    parts = set(map(_part_of_copied, stores))
    together = None not in widths and len(types) == len(parts) == 1
    return (Copies.OF_ONE_PLACE if together else Copies.NONE), changing


def _moves_whole(store: MemoryAccess, load: MemoryAccess) -> bool:
    """Whether all that is loaded is stored as it is."""
    whole = not is_part(unconverted(store.operands[1]))
    return whole and load.width is not None and load.width == store.width


def _finds_left(tracked: Tracked, touch: ThreadAccess, events: tuple[AccessEvent, ...]) -> bool:
    """Whether a thread has loaded in shared memory since the last barrier what nobody writes."""
    points_to, start = tracked.launch.facts.points_to, touch.loaded_from
    load = copied_from(touch.access)
    item = None if load is None else points_to.object_of(load)
    if load is None or item is None or item.space is not Space.SHARED or start is None:
        return False
    there = [event for event in events if item in points_to.touched(event.access)]
    return any(
        event.access is load and entry_of(touch.thread, event.addresses) == start for event in there
    ) and not any(
        place is not None and start - (event.width or 1) < place < start + (load.width or 1)
        for event in there
        if event.access.writes
        for place in entries(event.addresses, 1)
    )


def _moved_by(touch: ThreadAccess) -> int:
    """How far a copy goes from where it was loaded, in bytes."""
    assert touch.loaded_from is not None
    return touch.address - touch.loaded_from


def _part_of_copied(store: MemoryAccess) -> int:
    """Which part of what is loaded is stored, by where it begins in bytes."""
    value = unconverted(store.operands[1])
    return value.offset if is_part(value) else 0


def _in_one_iteration(tracked: Tracked, first: ThreadAccess, second: ThreadAccess) -> bool:
    """Whether two accesses stand in the same loops, in the same iteration of each."""
    flow = tracked.launch.facts.flow
    nests = [flow.loop_nest(block) for t in (first, second) if (block := t.access.block)]
    return nests[0] == nests[-1] and first.event.iterations == second.event.iterations


def own_store(store: ThreadAccess, other: ThreadAccess, count: int) -> ThreadAccess | None:
    """The store that the other thread of a conflict makes at the place itself, at once with the one
    given.
    """
    if store.access.kind is not AccessKind.STORE:
        return None
    event, thread = store.event, other.thread
    if not flags(event.must | event.may, count)[thread]:
        return None
    own = replace(store, thread=thread)
    return own if entry_of(thread, event.addresses) == store.address else None


def changes_nothing(
    first: ThreadAccess, second: ThreadAccess, events: Iterable[AccessEvent]
) -> bool:
    """Whether in a conflict of a load and a store the store puts back what it loaded from there:
    `a[i] = a[i % n]` with `i < n`.
    """
    for store, other in ((first, second), (second, first)):
        value = store.access.operands[1] if store.access.kind is AccessKind.STORE else None
        if other.access.kind is not AccessKind.LOAD or not isinstance(value, MemoryAccess):
            continue
        if value.kind is AccessKind.LOAD and value.width == store.access.width:
            return any(
                event.access is value
                and event.iterations == store.event.iterations
                and entry_of(store.thread, event.addresses) == store.address
                for event in events
            )
    return False


def sets_flag(conflict: Conflict) -> bool:
    """Whether two conflicting threads store a constant in shared memory, each if data says so."""
    first, second = conflict.first, conflict.second
    return (
        conflict.item.space is Space.SHARED
        and not (first.must or second.must)
        and isinstance(second.access.operands[1], Constant)
    )


def _agreed(tracked: Tracked, value: Value, level: Uniformity, depth: int = _DEPTH) -> bool:
    """Whether threads have the same value, though some of its parts may be read from memory."""
    if tracked.launch.uniformity.of(value) <= level:
        return True
    if not isinstance(value, Operation) or not depth:
        return False
    if isinstance(value, MemoryAccess):
        stored = _stored_before(tracked, value)
        return stored is not None and _agreed(tracked, stored, level, depth - 1)
    if value.opcode not in _ARITHMETIC:
        return False
    return all(_agreed(tracked, each, level, depth - 1) for each in value.operands)


def _stored_before(tracked: Tracked, load: MemoryAccess) -> Value | None:
    """What all threads store in a variable, where that is the only store and stands before."""
    facts, address = tracked.launch.facts, load.address
    if load.kind is not AccessKind.LOAD or load.scope or not isinstance(address, ObjectAddress):
        return None
    item = address.object
    if item.space is not Space.SHARED or tracked.untracked:
        return None
    writing = [
        each
        for each in tracked.accesses
        if each.writes and facts.points_to.touched(each) & {item, None}
    ]
    if len(writing) != 1 or writing[0].kind is not AccessKind.STORE:
        return None
    (store,) = writing
    there, here = store.block, load.block
    if not isinstance(store.address, ObjectAddress) or store.width != load.width or there is None:
        return None
    if there is here:
        before = there.operations.index(store) < there.operations.index(load)
    else:
        before = here is not None and facts.flow.dominators.dominates(there.index, here.index)
    return store.operands[1] if before else None


def _repeated(value: Value) -> Value:
    """The value that a vector holds in each of its components; else the value itself."""
    while isinstance(value, Operation) and value.opcode is Opcode.AGGREGATE and value.operands:
        first, *others = value.operands
        if not all(each is first or alike(first, each) for each in others):
            break
        value = first
    return value
