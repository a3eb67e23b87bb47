"""Occupancy: how many blocks of a kernel are resident on one multiprocessor (SM), and why.

In: an architecture and what one block takes (threads, registers, shared memory, barriers). Out: the
resident blocks, the limit that each resource sets on its own, every resource whose limit is the
lowest, and the amounts that are allocated after rounding. This is theoretical occupancy: whether
the grid has enough blocks is not asked. Not handled: thread block clusters, partitioned global
caching of 5.2 to 6.2, the 16 bytes and parameters that compilers for 1.x add to shared memory.

The algorithm is that of cuda_occupancy.h (CUDA 13.0), for 1.x and 2.x that of NVIDIA's Occupancy
Calculator 5.1; the numbers are in the hardware tables. Where NVIDIA's sources disagree:

- more registers per thread than the Programming Guide documents (124, 63, 255) means no launch,
  although the header lets 64 to 255 pass on 3.0 and 256 from 7.0 on: ptxas never emits them
- static shared memory over 48 KB means no launch, even with the opt-in: ptxas refuses it
- 7.2 may opt in to 96 KB, as the Programming Guide says of 7.x (a copy of its table says 48 KB)
- 3.2 has 32 K registers per block, as the Programming Guide says (the calculator says 64 K)
- on 2.x, 21, 22, 29, 30, 37, 38, 45 and 46 registers are allocated in units of 128, as the data
  sheet of the calculator and the header of CUDA 7.0 have it (the Programming Guide says 64)
- on 1.x the warps of a block are rounded up to even for registers only, as in the calculator (the
  header of CUDA 7.0 does so for the warp limit too)
- a preference for L1 that leaves too little shared memory for one block is dropped, as the header
  does and cudaFuncSetCacheConfig promises (the calculator says no launch)
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ..hardware.architectures import WARP_SIZE, architecture
from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..hardware.architectures import Architecture


class Resource(Enum):
    """What can limit the number of resident blocks."""

    WARPS = "warps"
    REGISTERS = "registers"
    SHARED = "shared"
    BLOCKS = "blocks"
    BARRIERS = "barriers"


class CachePreference(Enum):
    """`cudaFuncSetCacheConfig`: how the kernel would split L1 and shared memory."""

    NONE = "none"
    SHARED = "shared"
    L1 = "l1"
    EQUAL = "equal"


#: The carve-out that a cache preference means from 7.0 on, in percent.
_CARVEOUT = {
    CachePreference.NONE: 100,
    CachePreference.SHARED: 100,
    CachePreference.L1: 0,
    CachePreference.EQUAL: 50,
}


@dataclass(frozen=True, slots=True)
class BlockResources:
    """What one block of a kernel asks for; sizes as the programmer declares them, in bytes."""

    threads: int
    registers: int  # per thread, as ptxas reports them
    static_shared: int = 0
    dynamic_shared: int = 0
    opt_in: bool = False  # cudaFuncAttributeMaxDynamicSharedMemorySize is set
    carveout: int | None = None  # cudaFuncAttributePreferredSharedMemoryCarveout, in percent
    cache: CachePreference = CachePreference.NONE
    barriers: int = 1  # named barriers; 1 is __syncthreads() alone, 0 not known

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be at least {least}, not {getattr(self, name)}")
        if self.carveout is not None and not 0 <= self.carveout <= 100:
            raise ValueError(f"carveout must be 0 to 100 percent, not {self.carveout}")

    @property
    def warps(self) -> int:
        """Warps of one block; the last one may be partly empty."""
        return -(-self.threads // WARP_SIZE)


_LEAST = {"threads": 1, "registers": 0, "static_shared": 0, "dynamic_shared": 0, "barriers": 0}


@dataclass(frozen=True, slots=True)
class Occupancy:
    """The occupancy of a block; `limits`: how many blocks each resource alone allows, None any."""

    architecture: Architecture
    block: BlockResources
    limits: Mapping[Resource, int | None]
    shared_per_block: int  # allocated: rounded up, the driver's reserve included
    registers_per_block: int  # allocated: rounded up per warp, or per block on 1.x
    shared_capacity: int  # what the multiprocessor is set up with; 0 when no block can fit

    @property
    def blocks(self) -> int:
        """Resident blocks per multiprocessor; 0 means that the kernel cannot be launched."""
        return min([limit for limit in self.limits.values() if limit is not None])

    @property
    def warps(self) -> int:
        """Resident warps per multiprocessor."""
        return self.blocks * self.block.warps

    @property
    def fraction(self) -> float:
        """Resident warps over the warps the multiprocessor has room for: 0 to 1."""
        return self.warps / self.architecture.warps_per_sm

    @property
    def limiters(self) -> frozenset[Resource]:
        """Every resource whose own limit is the number of resident blocks."""
        blocks = self.blocks
        return frozenset([each for each, limit in self.limits.items() if limit == blocks])


def occupancy(
    arch: int | str | Architecture,
    *,
    threads: int,
    registers: int,
    static_shared: int = 0,
    dynamic_shared: int = 0,
    opt_in: bool = False,
    carveout: int | None = None,
    cache: str | CachePreference = CachePreference.NONE,
    barriers: int = 1,
) -> Occupancy:
    """The occupancy of a kernel whose block takes so much: `occupancy("sm_90", threads=256, ...)`.

    `registers` are per thread, shared memory is per block in bytes. Raises ValueError for what no
    launch can mean; a launch that the hardware refuses has 0 blocks.
    """
    block = BlockResources(
        threads=threads,
        registers=registers,
        static_shared=static_shared,
        dynamic_shared=dynamic_shared,
        opt_in=opt_in,
        carveout=carveout,
        cache=CachePreference(cache),
        barriers=barriers,
    )
    return block_occupancy(architecture(arch), block)


def block_occupancy(arch: Architecture, block: BlockResources) -> Occupancy:
    """The occupancy of blocks that each take `block`."""
    shared = _round_up(
        block.static_shared + block.dynamic_shared + arch.shared_reserved, arch.shared_unit
    )
    capacity = _shared_capacity(arch, block, shared)
    limits = {
        Resource.WARPS: _warp_limit(arch, block),
        Resource.REGISTERS: _register_limit(arch, block),
        # A kernel without shared memory is not limited by it, where the driver reserves none.
        Resource.SHARED: capacity // shared if shared else None,
        Resource.BLOCKS: arch.blocks_per_sm,
        Resource.BARRIERS: _barrier_limit(arch, block),
    }
    return Occupancy(arch, block, limits, shared, _registers_per_block(arch, block), capacity)


def shared_allowed(arch: Architecture, block: BlockResources) -> int:
    """The most shared memory, static and dynamic, that one block may have."""
    if block.opt_in and arch.shared_per_block_optin is not None:
        return arch.shared_per_block_optin
    return arch.shared_per_block


def _round_up(amount: int, unit: int) -> int:
    return -(-amount // unit) * unit


def _warp_limit(arch: Architecture, block: BlockResources) -> int:
    if block.threads > arch.threads_per_block:
        return 0
    return arch.warps_per_sm // block.warps


def _registers_per_warp(arch: Architecture, registers: int) -> int:
    unit = arch.register_unit
    if registers in arch.registers_in_double_units:
        unit *= 2
    return _round_up(registers * WARP_SIZE, unit)


def _registers_per_block(arch: Architecture, block: BlockResources) -> int:
    if arch.register_granularity == "block":
        warps = _round_up(block.warps, arch.warp_granularity)
        return _round_up(block.registers * WARP_SIZE * warps, arch.register_unit)
    return _registers_per_warp(arch, block.registers) * block.warps


def _register_limit(arch: Architecture, block: BlockResources) -> int | None:
    if block.registers > arch.registers_per_thread:
        return 0
    if block.registers == 0:
        return None
    if arch.register_granularity == "block":
        return arch.registers_per_sm // _registers_per_block(arch, block)
    per_warp = _registers_per_warp(arch, block.registers)
    # The hardware's check at launch assumes that a block spreads evenly over the sub-partitions.
    if per_warp * _round_up(block.warps, arch.warp_granularity) > arch.registers_per_block:
        return 0
    warps_per_partition = arch.registers_per_sm // arch.sub_partitions // per_warp
    return warps_per_partition * arch.sub_partitions // block.warps


def _shared_capacity(arch: Architecture, block: BlockResources, allocated: int) -> int:
    """The shared memory that the multiprocessor is set up with for this kernel; 0 if refused."""
    allowed = shared_allowed(arch, block) + arch.shared_reserved
    if allocated > allowed or block.static_shared > arch.shared_per_block:
        return 0
    preferred = _preferred_capacity(arch, block)
    if preferred >= allocated:
        return preferred
    if arch.capability >= 70:
        return _next_capacity(arch, allocated)
    return arch.shared_per_sm


def _preferred_capacity(arch: Architecture, block: BlockResources) -> int:
    if arch.capability >= 70:
        percent = _CARVEOUT[block.cache] if block.carveout is None else block.carveout
        return _next_capacity(arch, percent * arch.shared_per_sm // 100)
    if block.cache is CachePreference.L1:
        return min(arch.shared_capacities)
    if block.cache is CachePreference.EQUAL and len(arch.shared_capacities) == 3:
        return sorted(arch.shared_capacities)[1]
    return arch.shared_per_sm


def _next_capacity(arch: Architecture, wanted: int) -> int:
    """The smallest capacity that holds `wanted` bytes."""
    return min(capacity for capacity in arch.shared_capacities if capacity >= wanted)


def _barrier_limit(arch: Architecture, block: BlockResources) -> int | None:
    if arch.barriers_per_sm is None or block.barriers == 0:
        return None
    return arch.barriers_per_sm // block.barriers
