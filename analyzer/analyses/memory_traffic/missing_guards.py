"""Accesses by threads that the last block has too many of, with nothing that stops them.

In: the facts of a kernel with launches seen in the file. Out: accesses to global memory whose index
grows with the thread's index in the grid, in a kernel without any decision by it, where the launch
rounds up: it passes a size, and its grid is the smallest one that covers this size without dividing
it. The last threads of the grid then lie beyond the size. Where the host's allocation is in sight,
that decides (`array_bounds/overruns.py`), or nothing does where its size is not read: a buffer may
be longer than the size that is passed. Not handled: launches whose grid, block or arguments are not
known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind
from ...ir.types import Kind
from ...source.records import dataclass
from ..block_execution.launch_values import BLOCK_INDEX
from ..warp_evaluation.lane_addresses import LaneAddress, lane_address
from ..warp_evaluation.lane_values import factors_of
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess
    from ...ir.values import Parameter
    from .facts import TrafficFacts, TrafficLaunch

_KINDS = (AccessKind.LOAD, AccessKind.STORE, AccessKind.ATOMIC, AccessKind.REDUCTION)


@dataclass(frozen=True, slots=True)
class MissingGuard:
    """An access without a guard; along `axis` the grid has `threads`, and the launch passes `size`
    for a size.
    """

    address: LaneAddress
    parameter: Parameter
    axis: int
    size: int
    threads: int


def missing_guards(facts: TrafficFacts) -> Iterator[MissingGuard]:
    """The first access to each object that no guard keeps surplus threads from, stores before
    loads, of the first such launch.
    """
    for launch in facts.launches:
        sizes = list(_rounded_up(launch))
        found = list(_unguarded(launch, sizes)) if sizes else []
        if found:
            yield from found
            return


def _unguarded(
    launch: TrafficLaunch, sizes: list[tuple[Parameter, int, int, int]]
) -> Iterator[MissingGuard]:
    facts = launch.facts
    told = _allocated(launch)
    for access in sorted(facts.accesses, key=lambda access: not access.writes):
        object = facts.points_to.object_of(access)
        if object is None or object in told or not object.pointee:
            continue
        if not _is_open(facts, access) or _is_guarded(launch, access):
            continue
        address = lane_address(launch, access)
        if not isinstance(address, LaneAddress):
            continue
        for parameter, axis, size, threads in sizes:
            if object not in told and _grows_along(address, axis):
                told.add(object)
                yield MissingGuard(address, parameter, axis, size, threads)


def _allocated(launch: TrafficLaunch) -> set[MemoryObject]:
    """What the launch passes pointers to that the host is seen to allocate."""
    pairs = zip(launch.facts.kernel.given, launch.launch.allocated, strict=False)
    return {p.pointee for p, allocated in pairs if p.pointee is not None and allocated}


def _rounded_up(launch: TrafficLaunch) -> Iterator[tuple[Parameter, int, int, int]]:
    """Parameter, axis, its value, threads along the axis, where a launch covers a size unevenly.

    Where it covers another size exactly, that is the one that the axis was made for.
    """
    pairs = zip(launch.facts.kernel.given, launch.launch.arguments, strict=False)
    known = [(parameter, value) for parameter, value in pairs if value is not None]
    for axis, (blocks, threads) in enumerate(
        zip(launch.launch.grid, launch.launch.block, strict=True)
    ):
        if blocks is None or blocks < 2:
            continue
        sizes = [(each, value) for each, value in known if each.type.kind is Kind.INTEGER]
        if any(value == blocks * threads for _, value in sizes):
            continue
        for parameter, value in sizes:
            if threads > 1 and value % threads and -(-value // threads) == blocks:
                yield parameter, axis, value, blocks * threads


def _is_open(facts: TrafficFacts, access: MemoryAccess) -> bool:
    return access.kind in _KINDS and facts.points_to.spaces(access) == {Space.GLOBAL}


def _is_guarded(launch: TrafficLaunch, access: MemoryAccess) -> bool:
    """Whether some decision that not all threads of the grid share leads to the access."""
    edges = launch.facts.flow.controlling_edges(access.block)
    return any(launch.uniformity.of_branch(edge.branch) > Uniformity.GRID for edge in edges)


def _grows_along(address: LaneAddress, axis: int) -> bool:
    """Whether the index has the block's index along an axis in it, times the size of a block."""
    block = address.launch.block[axis]
    for name, factor in address.value.terms:
        if BLOCK_INDEX[axis] in factors_of(name) and isinstance(factor, int):
            width = address.access.width or 1
            return factor % (block * width) == 0 and factor > 0
    return False
