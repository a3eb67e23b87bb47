"""What a launch would have to take less of, for every warp slot of a multiprocessor to be filled.

In: an occupancy. Out: the most registers per thread and the most shared memory per block, each as
if the other cost nothing, with which blocks of this size fill the multiprocessor; and the block
sizes that can fill it at all. None where no amount does it. Launch attributes stay as they are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..hardware.architectures import WARP_SIZE
from ..source.records import dataclass
from .occupancy import block_occupancy
from .occupancy_curves import Amount, largest_for_all_warps

if TYPE_CHECKING:
    from .occupancy import BlockResources, Occupancy


@dataclass(frozen=True, slots=True)
class Needs:
    """What 100 % occupancy takes: at most so many registers and bytes, or another block size."""

    registers: int | None  # per thread
    shared: int | None  # bytes per block, static and dynamic together
    block_sizes: tuple[int, ...]  # the threads per block that divide the multiprocessor evenly


def needs_for_all_warps(current: Occupancy) -> Needs:
    """The limits under which this launch would fill the multiprocessor."""
    block = current.block
    plain = replace(block, static_shared=0, dynamic_shared=0, barriers=0)
    registers = largest_for_all_warps(_occupancy(current, plain), Amount.REGISTERS)
    bare = replace(block, registers=0, static_shared=0, dynamic_shared=0)
    shared = largest_for_all_warps(_occupancy(current, bare), Amount.DYNAMIC_SHARED)
    return Needs(registers, shared, _block_sizes(current))


def _occupancy(current: Occupancy, block: BlockResources) -> Occupancy:
    return block_occupancy(current.architecture, block)


def _block_sizes(current: Occupancy) -> tuple[int, ...]:
    """Block sizes at which nothing but warps and blocks would limit, and these fill it."""
    arch = current.architecture
    sizes = range(WARP_SIZE, arch.threads_per_block + 1, WARP_SIZE)
    return tuple(
        size
        for size in sizes
        if arch.warps_per_sm % (size // WARP_SIZE) == 0
        and arch.warps_per_sm // (size // WARP_SIZE) <= arch.blocks_per_sm
    )
