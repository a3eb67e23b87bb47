"""Stores that write the same address in every iteration of a loop: sums that are kept in memory.

In: the facts of a kernel. Out: for each loop and object the store whose address no iteration
changes, with the load that reads it back, where the compiler cannot keep the value in a register;
and where it can: the loops that an access is moved out of, to be executed once before or behind.
Measured with nvcc 13.0 (sm_90): in `for (k...) c[i] += b[k]` the store stays in the loop, whatever
the element types, unless one of the two pointers is `__restrict__` or what else the loop reads is
in shared or constant memory. Not reported: stores under a condition, loops with barriers, fences or
calls (another thread may wait for the value), loops that touch other elements of the object or what
is not known, and stores of all threads to one address (such kernels run with one thread).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, MemoryAccess
from ...source.records import dataclass
from ..dataflow.induction import is_invariant
from ..warp_evaluation.lane_addresses import LaneAddress, lane_address
from ..warp_evaluation.lane_values import subtract
from ..warp_evaluation.load_reuse import ORDERING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from ..dataflow.control_flow import Loop
    from .facts import TrafficFacts

_MOVES = frozenset({AccessKind.LOAD, AccessKind.STORE})
_ELSEWHERE = frozenset({Space.SHARED, Space.CONSTANT, Space.LOCAL, Space.PARAMETER, Space.TEXTURE})


@dataclass(frozen=True, slots=True)
class LoopStore:
    """A store to one address in every iteration of a loop; `load` reads the same address there."""

    address: LaneAddress
    loop: Loop
    load: MemoryAccess | None
    others: tuple[MemoryAccess, ...]  # what the compiler fears the store may change


def loop_stores(facts: TrafficFacts) -> Iterator[LoopStore]:
    """The first store to one address in every iteration, for each loop and object, in program
    order.
    """
    told: set[tuple[Loop, MemoryObject]] = set()
    for store in facts.accesses:
        loop = facts.flow.innermost_loop.get(store.block)
        object = facts.points_to.object_of(store)
        if loop is None or object is None or (loop, object) in told:
            continue
        if not _is_plain_store(facts, store, object) or not is_invariant(store.address, loop):
            continue
        if not facts.flow.is_in_every_iteration(store.block, loop):
            continue
        found = _judged(facts, store, loop, object)
        if found is not None:
            told.add((loop, object))
            yield found


def _is_plain_store(facts: TrafficFacts, store: MemoryAccess, object: MemoryObject) -> bool:
    return (
        store.kind is AccessKind.STORE
        and not store.volatile
        and not store.scope
        and facts.points_to.spaces(store) == {Space.GLOBAL}
        and not object.restrict
    )


def _judged(
    facts: TrafficFacts, store: MemoryAccess, loop: Loop, object: MemoryObject
) -> LoopStore | None:
    address = lane_address(facts.launches[0], store)
    if not isinstance(address, LaneAddress) or address.value.is_uniform:
        return None  # one address for all threads: the kernel runs with one
    beside = _beside(store, loop)
    if beside is None:
        return None
    load: MemoryAccess | None = None
    others: list[MemoryAccess] = []
    for access in beside:
        if object in facts.points_to.of(access.address):
            if not _same_place(address, access):
                return None
            load = access if access.kind is AccessKind.LOAD else load
        elif not _is_settled(facts, access):
            return None  # the compiler may know more of it than is known here
        elif _may_alias(facts, access):
            others.append(access)
    return LoopStore(address, loop, load, tuple(others)) if others else None


def loops_left(facts: TrafficFacts, access: MemoryAccess) -> Iterator[Loop]:
    """The loops that the compiler moves a load or store of global memory out of, the innermost
    first: nothing in them can touch the same place but under the same address.
    """
    object = facts.points_to.object_of(access)
    plain = access.kind in _MOVES and not access.volatile and not access.scope
    if object is None or not plain or facts.points_to.spaces(access) != {Space.GLOBAL}:
        return
    for loop in facts.flow.loop_nest(access.block):
        if not is_invariant(access.address, loop):
            return
        if not facts.flow.is_in_every_iteration(access.block, loop):
            return
        if not _is_alone(facts, access, loop, object):
            return
        yield loop


def _is_alone(facts: TrafficFacts, access: MemoryAccess, loop: Loop, object: MemoryObject) -> bool:
    address = lane_address(facts.launches[0], access)
    beside = _beside(access, loop)
    if beside is None or not isinstance(address, LaneAddress):
        return False
    for other in beside:
        if AccessKind.STORE not in (access.kind, other.kind):
            continue
        if object in facts.points_to.of(other.address):
            if not (_same_place(address, other) or _are_apart(address, other)):
                return False
        elif not object.restrict and _may_alias(facts, other):
            return False
    return True


def _beside(access: MemoryAccess, loop: Loop) -> list[MemoryAccess] | None:
    """The loads and stores of a loop but one; None where anything else touches or orders memory."""
    found: list[MemoryAccess] = []
    for operation in (each for block in loop.blocks for each in block.operations):
        if isinstance(operation, ORDERING):
            return None
        if not isinstance(operation, MemoryAccess) or operation is access:
            continue
        if operation.kind not in _MOVES or operation.volatile:
            return None
        found.append(operation)
    return found


def _same_place(address: LaneAddress, other: MemoryAccess) -> bool:
    theirs = lane_address(address.facts, other, address.warp)
    return (
        isinstance(theirs, LaneAddress)
        and theirs.value == address.value
        and other.width == address.access.width
    )


def _are_apart(address: LaneAddress, other: MemoryAccess) -> bool:
    """Whether a thread comes to other bytes in each, as with members of one structure."""
    theirs = lane_address(address.facts, other, address.warp)
    width = address.access.width
    if not isinstance(theirs, LaneAddress) or width is None or other.width is None:
        return False
    distance = subtract(theirs.value, address.value)
    return not distance.terms and all(
        lane >= width or lane <= -other.width for lane in distance.lanes
    )


def _is_settled(facts: TrafficFacts, other: MemoryAccess) -> bool:
    """Whether all that it may touch is known, and may have other names, or none of it."""
    targets = facts.points_to.touched(other)
    return None not in targets and len({_has_names(each) for each in targets}) == 1


def _has_names(item: MemoryObject | None) -> bool:
    """Whether other pointers may lead to a place in global memory."""
    return item is None or not (item.restrict or item.space in _ELSEWHERE)


def _may_alias(facts: TrafficFacts, other: MemoryAccess) -> bool:
    """Whether the compiler must take it for a possible other name of a place in global memory."""
    if facts.points_to.spaces(other) <= _ELSEWHERE:
        return False
    return any(map(_has_names, facts.points_to.touched(other)))
