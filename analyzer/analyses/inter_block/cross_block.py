"""Blocks that wait for other blocks, which need not be resident.

In: a kernel's facts. Out: barriers of the grid in kernels with an ordinary launch in sight; loops
that wait until all blocks have counted, or until another block has set its flag; loops that wait on
an ordinary load, which a compiler may do once.

Follows the CUDA C++ Programming Guide: blocks "are required to execute independently", in any order
("Scalable Programming Model"), and a barrier of the grid needs a cooperative launch ("Grid
Synchronization"). Locks are no such wait: who holds one is running. Where the file of the launch
asks how many multiprocessors there are, its author may have seen to it that all blocks run. A wait
for a block of a smaller number, or for the own number's turn, is only possible. Not handled: blocks
that take their number from a counter, and so wait for earlier ones only; flags of other devices.
"""

from __future__ import annotations

from enum import Enum
from math import prod
from typing import TYPE_CHECKING

from ...ir.kernel import HostStep
from ...ir.operations import AccessKind, Barrier, BarrierKind, MemoryAccess, Operation
from ...source.records import dataclass
from ..block_execution.launch_values import BLOCK_INDEX, GRID_SIZES
from ..dataflow.affine import affine
from ..dataflow.slices import backward_slice, registers_in
from ..pointers.memory_model import only_reads
from ..pointers.provenance import comparisons

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.kernel import Launch
    from .facts import OrderFacts
    from .spins import Spin

RESIDENT = 16  # blocks that any GPU has room for at once
_GRID = set(GRID_SIZES)
_BLOCK = set(BLOCK_INDEX)


class CrossKind(Enum):
    """What in a kernel waits for other blocks, and for which."""

    GRID_SYNC = "grid-sync"  # a barrier of the grid, in an ordinary launch
    ALL_BLOCKS = "all-blocks"  # a loop, until all blocks have counted
    OTHER_BLOCK = "other-block"  # a loop, until another block has set its flag
    PLAIN_LOAD = "plain-load"  # a loop on a load that may be done once


@dataclass(frozen=True, slots=True)
class CrossBlock:
    """A wait for other blocks, for whom, and the launch that does not promise that they are
    resident.
    """

    kind: CrossKind
    operation: Operation
    launch: Launch | None
    name: str = ""
    is_large: bool = True  # the launch is known to have more blocks than a GPU has room for
    is_for_earlier: bool = False  # a block waits for those with a smaller number


def cross_block_waits(facts: OrderFacts) -> Iterator[CrossBlock]:
    """The waits of a kernel for other blocks, which need not be resident, barriers first."""
    ordinary = _ordinary(facts.kernel.launches)
    for operation in facts.every(Barrier) if ordinary is not None else ():
        if operation.wait and _is_of_grid(operation):
            yield CrossBlock(CrossKind.GRID_SYNC, operation, ordinary)
    for spin in facts.spins:
        kind = _kind(facts, spin)
        if kind is CrossKind.PLAIN_LOAD:
            yield CrossBlock(kind, spin.read, None, spin.item.name)
        elif kind is not None and not _all_fit(facts.kernel.launches):
            large = next(filter(_is_large, facts.kernel.launches), None)
            launch = large or ordinary
            yield CrossBlock(
                kind,
                spin.read,
                launch,
                spin.item.name,
                is_large=large is not None,
                is_for_earlier=_is_for_earlier(spin),
            )


def _is_of_grid(barrier: Barrier) -> bool:
    return barrier.kind is BarrierKind.GRID


def _ordinary(launches: list[Launch]) -> Launch | None:
    """A launch of the file that is not cooperative."""
    return next((launch for launch in launches if not launch.cooperative), None)


def _all_fit(launches: list[Launch]) -> bool:
    """Whether every launch is cooperative, or too small for a block to have to wait its turn."""
    return bool(launches) and all(launch.cooperative or _is_small(launch) for launch in launches)


def _is_large(launch: Launch) -> bool:
    """Whether an ordinary launch is known to have more blocks than every GPU has room for, and
    nobody asks how many there is room for.
    """
    known = None not in launch.grid and not launch.cooperative and not _is_small(launch)
    return known and HostStep.ASKS_FOR_ROOM not in launch.steps


def _is_small(launch: Launch) -> bool:
    sizes = [size for size in launch.grid if size is not None]
    return len(sizes) == len(launch.grid) and prod(sizes) <= RESIDENT


def _kind(facts: OrderFacts, spin: Spin) -> CrossKind | None:
    if spin.swaps:
        return None
    if spin.is_plain and not _writes_itself(facts, spin):
        return CrossKind.PLAIN_LOAD
    if _GRID & registers_in(spin.decision.condition):
        return CrossKind.ALL_BLOCKS
    if _BLOCK & registers_in(spin.read.address) and _sets_its_own(facts, spin):
        return CrossKind.OTHER_BLOCK
    return None


def _writes_itself(facts: OrderFacts, spin: Spin) -> bool:
    """Whether the loop may change what it reads, as one that tries to swap does: no load is moved
    across that.
    """
    inside = (each for block in spin.loop.blocks for each in block.operations)
    return any(
        isinstance(each, MemoryAccess)
        and each.kind is AccessKind.ATOMIC
        and not only_reads(each)
        and facts.points_to.object_of(each) in (spin.item, None)
        for each in inside
    )


def _is_for_earlier(spin: Spin) -> bool:
    """Whether a block waits for one with a smaller number: no manual promises that it has begun,
    and GPUs begin blocks in order; scans by looking back rest on it, and blocks that come in turn.
    Data may name none but such, as the rows of a triangular matrix do.
    """
    if any(isinstance(each, MemoryAccess) for each in backward_slice(spin.read.address)):
        return True
    indices = (affine(each) for each in backward_slice(spin.read.address))
    before = any(index.number < 0 and _BLOCK & registers_in(*index.factors) for index in indices)
    return before or any(
        _BLOCK & registers_in(side) and spin.read not in backward_slice(side)
        for compare in comparisons(spin.decision.condition)
        for side in compare.operands
    )


def _sets_its_own(facts: OrderFacts, spin: Spin) -> bool:
    """Whether each block sets another flag of the same array than the one it waits for."""
    stores = [
        access
        for access in facts.accesses
        if access.writes and access is not spin.read
        if facts.points_to.object_of(access) is spin.item
    ]
    return any(
        access.address is not spin.read.address and _BLOCK & registers_in(access.address)
        for access in stores
    )
