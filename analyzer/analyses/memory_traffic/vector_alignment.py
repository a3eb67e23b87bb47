"""Accesses whose address is not a multiple of their width, whatever the values of the parameters.

In: the facts of a kernel. Out: for such an access the lane and its offset from the start of the
object. The hardware stops the kernel at such an address ("misaligned address"; CUDA C++ Programming
Guide, "Size and Alignment Requirement"). An object is taken to start at an aligned address:
allocations are aligned to 256 bytes, and ptxas places shared objects at multiples of 16. Shown are
offsets that are wrong in every block and every iteration of its loops, or in all blocks with an odd
index, and in smaller blocks, too, where nobody says how many threads a block has. Not handled:
local memory, where the compiler splits such accesses; offsets that are aligned or not by the value
of a parameter or by the iteration of a loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.asynchronous import CHUNKS, SizedAccess
from ...ir.memory import Space
from ...ir.operation_kinds import AccessForm
from ...ir.operations import AccessKind, MemoryAccess, Opcode, Operation
from ...ir.tiles import TileAccess
from ...ir.values import Special, whole_number
from ...source.records import dataclass
from ..block_shape.block_inference import smaller_shapes
from ..block_shape.block_size_guesses import is_block_size
from ..dataflow.slices import backward_slice
from ..pointers.alignment import is_aligned
from ..warp_evaluation.lane_addresses import LaneAddress, is_base, lane_address

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...ir.block import Block
    from ...ir.values import Value
    from ..warp_evaluation.lane_values import Coefficient
    from .facts import TrafficFacts, TrafficLaunch

_WIDTHS = (2, 4, 8, 16)
TILE_START, TILE_PITCH = 32, 16  # what the start and the distance of lines are multiples of
_SPACES = frozenset({Space.GLOBAL, Space.SHARED, Space.CONSTANT})
_BLOCK_AXES = {Special.BLOCK_X: 0, Special.BLOCK_Y: 1, Special.BLOCK_Z: 2}


@dataclass(frozen=True, slots=True)
class Misalignment:
    """The first lane of an access found at an address that is no multiple of its width."""

    address: LaneAddress
    width: int  # the multiple that the address should be of
    lane: int
    offset: int  # bytes from the start of the object, up to a multiple of the width
    block_axis: int | None = None  # wrong only in blocks with an odd index along this axis


def misaligned_accesses(facts: TrafficFacts) -> Iterator[Misalignment]:
    """The accesses of a kernel whose addresses cannot be multiples of their width, in program
    order.
    """
    left_out = (AccessKind.MATRIX_LOAD, AccessKind.PREFETCH, AccessKind.ASYNC_COPY)
    for access in facts.accesses:
        width = access.alignment  # a class that is aligned less than it is wide is moved in pieces
        if width not in _WIDTHS or not facts.points_to.spaces(access) <= _SPACES:
            continue
        if access.kind not in left_out and not is_aligned(access.address, width):
            found = next(_in_launches(facts, access, access.address, width), None)
            if found is not None:
                yield found


def misaligned_copies(facts: TrafficFacts) -> Iterator[Misalignment]:
    """The asynchronous copies whose destination or source cannot be aligned, in program order."""
    for access in facts.accesses:
        width = copy_alignment(access)
        for pointer in access.operands[:2] if width else ():
            if is_aligned(pointer, width):
                continue
            found = next(_in_launches(facts, access, pointer, width), None)
            if found is not None:
                yield found
                break


def odd_copies(facts: TrafficFacts) -> Iterator[tuple[SizedAccess, int]]:
    """The asynchronous copies of a number of bytes that `cp.async` cannot copy, and that number."""
    for access in facts.accesses:
        if isinstance(access, SizedAccess) and access.form is AccessForm.COPY:
            count = whole_number(access.extent)
            if count is not None and count not in CHUNKS:
                yield access, count


def misaligned_tiles(facts: TrafficFacts) -> Iterator[Misalignment | TileAccess]:
    """The tiles of matrices that begin at a wrong address, and those whose lines do: their pitch is
    no multiple of 16 bytes (CUDA C++ Programming Guide, "Warp Matrix Functions").
    """
    for access in facts.accesses:
        if not isinstance(access, TileAccess):
            continue
        if access.lines.pitch % TILE_PITCH:
            yield access
            continue
        found = next(_in_launches(facts, access, access.address, TILE_START), None)
        if found is not None:
            yield found


def copy_alignment(access: MemoryAccess) -> int:
    """The multiple that both addresses of an asynchronous copy must be of; 0 for none.

    `cp.async` copies 4, 8 or 16 bytes from and to multiples of that (PTX ISA, "cp.async"), bulk
    copies any multiple of 16 ("cp.async.bulk"). `cooperative_groups::memcpy_async` takes any
    address, and copies by another way where it must.
    """
    if access.kind is not AccessKind.ASYNC_COPY:
        return 0
    if access.form is AccessForm.BULK_COPY:
        return 16
    copied = access.form is AccessForm.COPY
    return access.width if copied and access.width in CHUNKS else 0


def _in_launches(
    facts: TrafficFacts, access: MemoryAccess, pointer: Value, width: int
) -> Iterator[Misalignment]:
    for launch in facts.launches:
        for warp in launch.warps(2):
            address = lane_address(launch, access, warp, pointer)
            found = _misalignment(address, width) if isinstance(address, LaneAddress) else None
            if found is None or _asks_alignment(facts, found.address.assumed):
                continue
            if _holds_for_smaller_blocks(launch, access, pointer, width):
                yield found


def _holds_for_smaller_blocks(
    launch: TrafficLaunch, access: MemoryAccess, pointer: Value, width: int
) -> bool:
    """Whether it is not the block's size that makes an address wrong, where nobody states it:
    `512 / blockDim.x` elements of each thread are a vector in blocks of 128 threads, not of 256.
    """
    assumed = launch.launch
    if not assumed.unsettled or not any(map(is_block_size, backward_slice(pointer))):
        return True
    for shape in smaller_shapes(assumed.block):
        address = lane_address(launch.with_block(shape), access, 0, pointer)
        if not isinstance(address, LaneAddress) or _misalignment(address, width) is None:
            return False
    return True


def _misalignment(address: LaneAddress, width: int) -> Misalignment | None:
    bases = [name for name, factor in address.value.terms if is_base(name) and factor == 1]
    loose = [
        (name, factor)
        for name, factor in address.value.terms
        if name not in bases and not _is_multiple(factor, width)
    ]
    if len(bases) != 1 or len(loose) > 1:
        return None
    lanes = [lane for lane, active in enumerate(address.mask) if active]
    wrong = next((lane for lane in lanes if address.value.lanes[lane] % width), None)
    if not loose:
        offset = 0 if wrong is None else address.value.lanes[wrong]
        return None if wrong is None else Misalignment(address, width, wrong, offset)
    axis = _odd_block(address, *loose[0])
    if wrong is None and axis is not None and lanes:
        factor = loose[0][1]
        assert isinstance(factor, int)
        return Misalignment(address, width, lanes[0], factor, axis)
    return None


def _is_multiple(factor: Coefficient, width: int) -> bool:
    factors = (factor,) if isinstance(factor, int) else factor
    return all(item % width == 0 for item in factors)


def _odd_block(address: LaneAddress, name: Hashable, factor: Coefficient) -> int | None:
    """The axis along which the block with index 1, which exists, is misaligned."""
    axis = _BLOCK_AXES.get(name) if isinstance(name, Special) else None
    if axis is None or not isinstance(factor, int):
        return None
    size = address.launch.grid[axis]
    return axis if size is None or size > 1 else None


def _asks_alignment(facts: TrafficFacts, guards: frozenset[Block]) -> bool:
    """Whether a guard looks at the bits of a pointer: the author knows of the question."""
    return any(_masks_pointer(facts, guard.terminator.operands[0]) for guard in guards)


def _masks_pointer(facts: TrafficFacts, condition: Value) -> bool:
    return any(
        isinstance(each, Operation)
        and each.opcode in (Opcode.AND, Opcode.REM)
        and facts.points_to.of(each.operands[0])
        for each in backward_slice(
            condition, through=lambda each: not isinstance(each, MemoryAccess)
        )
    )
