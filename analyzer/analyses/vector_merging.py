"""Adjacent shared memory accesses that the compiler merges into one wider access.

In: an access and a launch. Out: the width in bytes of the access that reaches the hardware.
Measured with nvcc 13.0 on sm_90: `s[2*t]` and `s[2*t+1]` become one 64-bit access, four members of
a struct one 128-bit access, a row walk `s[t][k]` in a loop over k a 128-bit access per four rounds,
whenever adjacency and alignment are provable; three-word structs and odd pitches stay as they are.
A store to shared memory between two loads keeps them apart, and any access to shared memory between
two stores, whatever array it goes to; accesses to global memory do not.
Shared objects are taken to be 16-byte aligned, as ptxas places them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.memory import Space
from ..ir.operations import AccessKind, Barrier, Call, MemoryAccess, OpaqueOperation
from .lane_values import LaneValue, subtract
from .outcomes import Iteration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .facts import LaunchFacts

_WIDEST = 16


def merged_width(launch: LaunchFacts, access: MemoryAccess) -> int:
    """The width after merging; the access's own width when nothing merges."""
    own = access.width or 0
    assert access.block is not None
    value = launch.evaluator(0).value_in(access.block, access.address)
    if not isinstance(value, LaneValue) or access.volatile or own >= _WIDEST:
        return own
    best = own
    distances = set(_neighbour_distances(launch, access, value))
    width = own * 2
    while width <= _WIDEST:
        if _covered(value, distances, own, width) or _walks(launch, access, value, width):
            best = width
        width *= 2
    return best


def _covered(value: LaneValue, distances: set[int], own: int, width: int) -> bool:
    """Whether accesses next to this one fill an aligned vector of `width` bytes around it."""
    position = _offset_in(value, width)
    if position is None or position % own:
        return False
    needed = {start - position for start in range(0, width, own)} - {0}
    return needed <= distances


def _offset_in(value: LaneValue, width: int) -> int | None:
    """The position in an aligned vector, when it is the same for every lane and every round."""
    for _, coefficient in value.terms:
        if coefficient != 1 and (not isinstance(coefficient, int) or coefficient % width):
            return None
    if any(coefficient == 1 and not hasattr(name, "space") for name, coefficient in value.terms):
        return None
    first = value.lanes[0] % width
    return first if all(lane % width == first for lane in value.lanes) else None


def _neighbour_distances(
    launch: LaunchFacts, access: MemoryAccess, value: LaneValue
) -> Iterator[int]:
    """Byte distances of like accesses that nothing separates from this one."""
    evaluator = launch.evaluator(0)
    assert access.block is not None
    operations = access.block.operations
    position = operations.index(access)
    for stretch in (operations[position + 1 :], reversed(operations[:position])):
        for operation in stretch:
            if isinstance(operation, Barrier | Call | OpaqueOperation):
                break
            if not isinstance(operation, MemoryAccess) or not _may_be_shared(launch, operation):
                continue
            distance: int | None = None
            if operation.kind is access.kind and operation.width == access.width:
                theirs = evaluator.value(operation.address)
                if isinstance(theirs, LaneValue):
                    distance = subtract(theirs, value).number
            if distance is not None and abs(distance) < _WIDEST:
                if distance:
                    yield distance
            elif not (operation.kind is access.kind is AccessKind.LOAD):
                break


def _may_be_shared(launch: LaunchFacts, access: MemoryAccess) -> bool:
    spaces = launch.facts.points_to.spaces(access)
    return not spaces or bool(spaces & {Space.SHARED, Space.GENERIC})


def _walks(launch: LaunchFacts, access: MemoryAccess, value: LaneValue, width: int) -> bool:
    """Whether consecutive rounds of the innermost loop touch consecutive, aligned elements."""
    assert access.block is not None
    loop = launch.facts.flow.innermost_loop.get(access.block)
    if loop is None:
        return False
    for block in loop.blocks:
        for operation in block.operations:
            if isinstance(operation, Barrier | Call | OpaqueOperation):
                return False
            if not isinstance(operation, MemoryAccess) or operation is access:
                continue
            alike = operation.kind is access.kind is AccessKind.LOAD
            if not alike and _may_be_shared(launch, operation):
                return False
    counter = Iteration(loop.header)
    steps = dict(value.terms)
    if steps.pop(counter, None) != access.width:
        return False
    still = LaneValue(value.lanes, tuple(steps.items()))
    return _offset_in(still, width) == 0
