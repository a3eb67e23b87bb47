"""Adjacent shared memory accesses that the compiler merges into one wider access.

In: an access and a launch. Out: the width in bytes of the instruction that reaches the hardware,
and whether it is counted at this access. Measured with nvcc 13.0 on sm_90: `s[2*t]` and `s[2*t+1]`
become one 64-bit access, four members of a struct one 128-bit access, a row walk `s[t][k]` in a
loop over k a 128-bit access per four iterations, whenever adjacency and alignment are provable; so
does `s[t + i][k]` in a loop over a few i inside of that over k, of which nothing is left. A pragma
that leaves a loop as it is, or copies it twice, is heeded. `s[2*u]` and `s[2*u+1]` are one 64-bit
access whatever u is; three-word structs and odd pitches stay as they are.
A store to shared memory between two loads
keeps them apart, and any access to shared memory between two stores, whatever array it goes to;
only where the array is declared with the vector's alignment may other elements of it be stored in
between. Accesses to global memory keep nothing apart. Shared objects are taken to be 16-byte
aligned, as ptxas places them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, Barrier, Call, MemoryAccess, OpaqueOperation
from ...ir.values import ObjectAddress
from ...source.records import dataclass
from ..dataflow.affine import affine
from .lane_values import WARP, LaneValue, distance
from .outcomes import IterationNumber

if TYPE_CHECKING:
    from ...ir.values import Value
    from ..dataflow.control_flow import Loop
    from .facts import WarpLaunch
    from .outcomes import Outcome

_WIDEST = 16


_UNROLLED = 64  # iterations of a loop of which compilers leave none
_STRETCH = 2_000  # operations before or behind one in which its neighbours are looked for
_NEIGHBOURS = 64  # accesses before or behind one that it is compared with


@dataclass(frozen=True, slots=True)
class Merging:
    """The wider shared memory instruction that the compiler merges an access into: its width, and
    whether it is counted there.

    A merged load stands where the first of its parts stood, a merged store where the last did.
    """

    width: int
    counts: bool | None = True  # None: in the iterations of a loop that begin a vector


def merging_of(launch: WarpLaunch, access: MemoryAccess) -> Merging:
    """The instruction that a shared memory access becomes when the compiler merges neighbours; its
    own width when nothing merges.
    """
    own = access.width or 0
    found = launch.evaluator(0).value_in(access.block, access.address)
    value = _placed(found, access.address)
    best = Merging(own)
    if access.volatile or own >= _WIDEST:
        return best
    near: tuple[set[int], set[int]] | None = None  # neighbours, looked for where they can matter
    width = own * 2
    while width <= _WIDEST:
        needed = _rest_of_vector(value, own, width)
        if needed is not None and _is_aligned(launch, access, width):
            near = near or _neighbour_distances(launch, access, value)
        else:
            needed = None
        if needed is not None and near is not None and needed <= near[0] | near[1]:
            others = near[0] if access.kind is AccessKind.LOAD else near[1]
            best = Merging(width, not needed & others)
        elif _walks(launch, access, value, width):
            best = Merging(width, counts=None)
        width *= 2
    return best


def _is_aligned(launch: WarpLaunch, access: MemoryAccess, width: int) -> bool:
    """Whether the compiler knows where in a vector it begins: a pitch that a launch passes does not
    tell it.
    """
    return launch.facts.low_bits.of(access.address).modulo(width) is not None


def _placed(known: Outcome, address: Value) -> LaneValue:
    """An address; one that is not known as the sum that is written there, `2 * other + 1` for any
    `other`.
    """
    if isinstance(known, LaneValue):
        return known
    form = affine(address)
    terms = tuple(
        (each.object if isinstance(each, ObjectAddress) else each, factor)
        for each, factor in form.factors.items()
        if factor
    )
    return LaneValue((form.number,) * WARP, terms)


def _rest_of_vector(value: LaneValue, own: int, width: int) -> set[int] | None:
    """How far the other parts of an aligned vector of `width` bytes are; None without a vector."""
    position = _offset_in(value, width)
    if position is None or position % own:
        return None
    return {start - position for start in range(0, width, own)} - {0}


def _offset_in(value: LaneValue, width: int) -> int | None:
    """The position in an aligned vector, when it is the same for every lane and every iteration."""
    for _, coefficient in value.terms:
        if coefficient != 1 and (not isinstance(coefficient, int) or coefficient % width):
            return None
    if any(coefficient == 1 and not hasattr(name, "space") for name, coefficient in value.terms):
        return None
    first = value.lanes[0] % width
    return first if all(lane % width == first for lane in value.lanes) else None


def _neighbour_distances(
    launch: WarpLaunch, access: MemoryAccess, value: LaneValue
) -> tuple[set[int], set[int]]:
    """Byte distances of like accesses that nothing separates from this one: before, behind it."""
    evaluator = launch.evaluator(0)
    operations = access.block.operations
    position = operations.index(access)
    own = access.width or 0
    loads = access.kind is AccessKind.LOAD
    item = launch.facts.points_to.object_of(access)
    aligned = item is not None and (item.alignment or 0) > own
    found: tuple[list[int], list[int]] = ([], [])
    first = max(position - _STRETCH, 0)
    before, behind = operations[first:position], operations[position + 1 : position + _STRETCH]
    for side, stretch in enumerate((reversed(before), behind)):
        last = 0
        for operation in stretch:
            if isinstance(operation, Barrier | Call | OpaqueOperation):
                break
            if not isinstance(operation, MemoryAccess) or not _may_be_shared(launch, operation):
                continue
            apart: int | None = None
            if operation.kind is access.kind and operation.width == access.width:
                theirs = _placed(evaluator.value(operation.address), operation.address)
                apart = distance(theirs, value)
            if loads and operation.kind is AccessKind.LOAD:
                found[side].append(apart or 0)
            elif apart is None or not (aligned or abs(apart - last) == own):
                break
            else:
                found[side].append(apart)
                last = apart
            if len(found[side]) >= _NEIGHBOURS:
                break
    return set(found[0]), set(found[1])


def _may_be_shared(launch: WarpLaunch, access: MemoryAccess) -> bool:
    spaces = launch.facts.points_to.spaces(access)
    return not spaces or bool(spaces & {Space.SHARED, Space.GENERIC})


def _walks(launch: WarpLaunch, access: MemoryAccess, value: LaneValue, width: int) -> bool:
    """Whether consecutive iterations of a loop touch consecutive, aligned elements, and nothing is
    left of the loops inside of it.
    """
    trips = 1
    for loop in launch.facts.flow.loop_nest(access.block):
        if _walks_in(launch, access, value, (loop, width)):
            return True
        times = launch.facts.compile_time.iterations(loop)
        trips *= _UNROLLED + 1 if times is None else times
        if trips > _UNROLLED or launch.facts.kernel.unrolling.get(loop.header) == 1:
            return False
    return False


def _walks_in(
    launch: WarpLaunch, access: MemoryAccess, value: LaneValue, walk: tuple[Loop, int]
) -> bool:
    """Whether consecutive iterations of one of the loops touch consecutive elements of vectors of
    so many bytes.
    """
    loop, width = walk
    copies = launch.facts.kernel.unrolling.get(loop.header, 0)  # that a pragma asks for; 0: any
    if copies and copies * (access.width or 0) < width:
        return False
    counter = IterationNumber(loop.header)
    steps = dict(value.terms)
    if steps.pop(counter, None) != access.width:
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
    start = _offset_in(LaneValue(value.lanes, tuple(steps.items())), width)
    trips = launch.facts.compile_time.iterations(loop)
    unrolled = trips is not None and trips <= _UNROLLED  # then it may begin within a vector
    if launch.facts.low_bits.entering(access.address, loop).modulo(width) is None:
        return False
    return start == 0 or (unrolled and start is not None)
