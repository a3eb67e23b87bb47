"""How many registers launch bounds leave a thread.

In: what a kernel says of its launch, and the threads that fit on a multiprocessor. Out: the cap
under which ptxas has to stay (PTX ISA 11.4), as it was read off kernels compiled under all kinds
of bounds. The registers of a multiprocessor are divided among four partitions, and its warps are
too, so that bounds of 9 warps leave what 12 would. Not handled: that under some bounds ptxas stays
far below the cap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..ir.kernel import Bounds

_MOST_REGISTERS, _UNIT = 255, 8
_WARP, _PARTITIONS, _PARTITION_FILE = 32, 4, 16384
_MOST_BLOCKS = 32


def register_cap(bounds: Bounds, resident: int) -> int:
    """The most registers that launch bounds leave each thread, where `resident` threads fit."""
    return cap_of(bounds.max_threads, bounds.min_blocks, bounds.max_registers, resident)


def cap_of(
    threads: float | None, blocks: float | None, registers: float | None, resident: int
) -> int:
    """The same of the bounds one by one.

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
