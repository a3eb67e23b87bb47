"""How many registers launch bounds leave a thread, and how many cost no occupancy.

In: what a kernel says of its launch, and the threads that fit on a multiprocessor. Out: the cap
under which ptxas has to stay (PTX ISA 11.4), as it was read off kernels compiled under all kinds
of bounds; and the registers up to which as many blocks are resident as ever are. The registers of
a multiprocessor are divided among four partitions, and its warps are too, so that bounds of 9 warps
leave what 12 would. Not handled: that under some bounds ptxas stays far below the cap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..ir.kernel import Bounds

_MOST_REGISTERS, _UNIT = 255, 8
_WARP, _PARTITIONS, _PARTITION_FILE = 32, 4, 16384
_MOST_BLOCKS = 32
_LEAST_OF_BLOCK = 64  # threads of blocks of which as many are resident as threads can be


def register_cap(bounds: Bounds, resident: int) -> int:
    """The most registers that launch bounds leave each thread, where `resident` threads fit."""
    return cap_of(bounds.max_threads, bounds.min_blocks, bounds.max_registers, resident)


def cap_of(
    threads: float | None, blocks: float | None, registers: float | None, resident: int
) -> int:
    """The most registers that launch bounds leave each thread, the bounds given one by one.

    A number of registers overrides the others, and a number of blocks that cannot be resident is
    ignored.
    """
    if registers:
        return min(_MOST_REGISTERS, int(registers))
    if not threads:
        return _MOST_REGISTERS
    least = int(blocks or 1)
    if least > _MOST_BLOCKS or least * threads > resident:
        least = 1
    warps = -(-int(threads) // _WARP) * least
    in_partition = -(-warps // _PARTITIONS) * _WARP
    cap = _PARTITION_FILE // in_partition // _UNIT * _UNIT
    return max(min(cap, _MOST_REGISTERS), _UNIT)


def free_registers(threads: float, resident: int) -> int:
    """The most registers that keep no block of so many threads from being resident.

    ptxas fills registers up to there. Of blocks of unknown size all threads can be resident.
    """
    if not threads:
        return cap_of(resident, 1, None, resident)
    warps = -(-int(threads) // _WARP)
    blocks = min(resident // _LEAST_OF_BLOCK, resident // _WARP // warps)
    return cap_of(threads, blocks, None, resident)
