"""How occupancy changes with one amount: the three curves CUDA people know, and their cliffs.

In: an occupancy and the amount to vary (block size, registers per thread, dynamic shared memory).
Out: the occupancy at every value of that amount, the largest value that keeps as many warps, and
the nearest values in both directions at which the number of resident warps changes. Everything
else stays as it is. Not handled: varying two amounts at once; what the compiler makes of a kernel
when its registers are capped.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from ..hardware.architectures import WARP_SIZE
from ..source.records import dataclass
from .occupancy import block_occupancy, shared_allowed

if TYPE_CHECKING:
    from .occupancy import BlockResources, Occupancy


class Amount(Enum):
    """What an occupancy curve varies; the value is the field of `BlockResources`."""

    THREADS = "threads"
    REGISTERS = "registers"
    DYNAMIC_SHARED = "dynamic_shared"


@dataclass(frozen=True, slots=True)
class Point:
    """One value of the amount that an occupancy curve varies, and the occupancy there."""

    value: int
    occupancy: Occupancy


@dataclass(frozen=True, slots=True)
class Cliffs:
    """The nearest points of an occupancy curve with other numbers of resident warps, or None."""

    below: Point | None
    above: Point | None


def curve(current: Occupancy, amount: Amount) -> tuple[Point, ...]:
    """The occupancy at every value at which it can change, ascending, up to the limit."""
    return tuple(_point(current, amount, value) for value in _values(current, amount))


def largest_for_all_warps(current: Occupancy, amount: Amount) -> int | None:
    """The largest value at which every warp slot is filled; None when no value does it."""
    return max((p.value for p in curve(current, amount) if p.occupancy.fraction == 1), default=None)


def cliffs(current: Occupancy, amount: Amount) -> Cliffs:
    """Where, going down and going up, the number of resident warps changes first.

    A cliff below is the largest smaller value with another number of warps, a cliff above the
    smallest larger one.
    """
    value = getattr(current.block, amount.value)
    changed = [p for p in curve(current, amount) if p.occupancy.warps != current.warps]
    below = next((p for p in reversed(changed) if p.value < value), None)
    above = next((p for p in changed if p.value > value), None)
    if above is not None:
        # The same is allocated from just after the point before.
        step = _values(current, amount).step
        above = replace(above, value=max(above.value - step, value) + 1)
    return Cliffs(below, above)


def _point(current: Occupancy, amount: Amount, value: int) -> Point:
    block = _varied(current.block, amount, value)
    return Point(value, block_occupancy(current.architecture, block))


def _varied(block: BlockResources, amount: Amount, value: int) -> BlockResources:
    if amount is Amount.THREADS:
        return replace(block, threads=value)
    if amount is Amount.REGISTERS:
        return replace(block, registers=value)
    return replace(block, dynamic_shared=value)


def _values(current: Occupancy, amount: Amount) -> range:
    """The last value of each allocation: full warps, full units of shared memory."""
    arch, block = current.architecture, current.block
    if amount is Amount.THREADS:
        return range(WARP_SIZE, arch.threads_per_block + 1, WARP_SIZE)
    if amount is Amount.REGISTERS:
        return range(1, arch.registers_per_thread + 1)
    first = -(block.static_shared + arch.shared_reserved) % arch.shared_unit
    room = shared_allowed(arch, block) - block.static_shared
    return range(first, room + 1, arch.shared_unit)
