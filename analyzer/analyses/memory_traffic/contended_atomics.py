"""Atomics on global memory by which all lanes of a warp update one address, one after the other.

In: the facts of a kernel. Out: each such atomic with the lanes that meet. Left out are those that
the compiler reduces over the warp first; with nvcc 13.0 for sm_80 and sm_90 these are add, min,
max, and, or, xor of 32-bit integers, whether or not the result is used. Additions of floating point
numbers and of 64-bit integers, inc and dec stay one operation per lane. Not handled: exchanges,
which are locks more often than not, and atomics that the data of a thread decides about.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, Call, MemoryAccess, Opcode, Operation, Phi
from ...ir.types import Kind
from ...ir.values import Constant
from ..dataflow.slices import backward_slice
from ..warp_evaluation.lane_addresses import LaneAddress, lane_address
from ..warp_evaluation.outcomes import IterationNumber
from ..warp_evaluation.uniformity import Uniformity
from .executions import block_axes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...ir.block import Block
    from .facts import TrafficFacts, TrafficLaunch

_REDUCED = frozenset({"add", "min", "max", "and", "or", "xor"})  # of 32-bit integers
_SUMS = _REDUCED | {"inc", "dec"}


def contended_atomics(facts: TrafficFacts) -> Iterator[LaneAddress]:
    """The atomics on global memory by which several lanes update one address, in program order."""
    for access in facts.accesses:
        if access.kind not in (AccessKind.ATOMIC, AccessKind.REDUCTION):
            continue
        if facts.points_to.spaces(access) != {Space.GLOBAL} or not _stays(access):
            continue
        for launch in facts.launches:
            address = lane_address(launch, access)
            if isinstance(address, LaneAddress) and _meets(launch, address):
                yield address
                break


def updates_of_one_address(launch: TrafficLaunch, executions: Callable[[Block], float]) -> float:
    """How many updates by atomics of a launch come to one address one after the other, where
    that is most: blocks, and warps, that have an address of their own do not wait for each other.
    """
    most = 0.0
    for first in contended_atomics(launch.facts):
        found = [lane_address(launch, first.access, warp) for warp in launch.warps()]
        here = [each for each in found if isinstance(each, LaneAddress) and _meets(launch, each)]
        moved = any(isinstance(name, IterationNumber) for at in here for name, _ in at.value.terms)
        if not here or moved:
            continue
        axes = block_axes(launch, [first.access.address])
        apart = prod(size or 1 for axis, size in enumerate(launch.launch.grid) if axis in axes)
        apart *= len({each.value for each in here})
        lanes = sum(sum(each.mask) for each in here) / len(found)
        most = max(most, lanes * executions(first.access.block) / apart)
    return most


def _stays(access: MemoryAccess) -> bool:
    """Whether each lane's operation reaches memory."""
    element = access.element
    reduced = element.kind is Kind.INTEGER and element.bits == 32 and access.atomic in _REDUCED
    return access.atomic in _SUMS and element.bits is not None and not reduced


def _meets(launch: TrafficLaunch, address: LaneAddress) -> bool:
    if sum(address.mask) < 2 or not address.value.is_uniform:
        return False
    return not any(_picks_threads(launch, guard) for guard in address.assumed)


def _picks_threads(launch: TrafficLaunch, guard: Block) -> bool:
    """Whether a guard looks for one thread, or depends on what each thread has loaded, or on what
    it noted of that, as `found = true` does.
    """
    for value in backward_slice(*guard.terminator.operands):
        if not isinstance(value, Operation):
            continue
        loaded = isinstance(value, MemoryAccess | Call) or value.type.kind is Kind.FLOAT
        picked = value.opcode in (Opcode.EQ, Opcode.NE)
        noted = isinstance(value, Phi) and all(
            isinstance(x, Constant | Phi) for x in value.operands
        )
        if (loaded or picked or noted) and launch.uniformity.of(value) is Uniformity.VARYING:
            return True
    return False
