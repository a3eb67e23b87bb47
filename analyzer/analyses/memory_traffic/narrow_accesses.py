"""Consecutive elements that a thread accesses one by one where one wide access would do.

In: the facts of a kernel. Out: 2 to 16 loads or stores of global memory that together are an
aligned vector of 4 to 16 bytes in every lane, whatever the parameters are: in one basic block, or
in the iterations of a loop whose number is fixed. nvcc 13.0 merges none of them, since it does not
know that a pointer is aligned to more than its element. Objects are taken to start at multiples of
256 bytes, as allocations do. Not handled: alignment that depends on a parameter (`row * pitch`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind
from ...source.records import dataclass
from ..warp_evaluation.lane_addresses import LaneAddress, is_base, lane_address
from ..warp_evaluation.lane_values import per_lane
from ..warp_evaluation.outcomes import IterationNumber
from .vector_tails import is_vector_tail

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...ir.operations import MemoryAccess
    from .facts import TrafficFacts

_NARROW = (1, 2, 4)
_VECTORS = (16, 8, 4)
_LONGEST = 64  # bytes that a loop walks: longer rows are better spread over the lanes
_KINDS = (AccessKind.LOAD, AccessKind.STORE)


@dataclass(frozen=True, slots=True)
class NarrowRun:
    """Narrow accesses to consecutive elements that fill a vector; a loop makes them when
    `iterations` is set.
    """

    addresses: tuple[LaneAddress, ...]
    vector: int
    iterations: int = 0

    @property
    def width(self) -> int:
        """Bytes that each access moves."""
        return self.addresses[0].access.width or 0

    @property
    def count(self) -> int:
        """How many accesses one would replace."""
        return self.vector // self.width


def narrow_runs(facts: TrafficFacts) -> Iterator[NarrowRun]:
    """The narrow accesses of a kernel for which one wide access would do, by vector, in program
    order.
    """
    groups: dict[Hashable, list[LaneAddress]] = {}
    stored = {
        (access.block, facts.points_to.object_of(access))
        for access in facts.accesses
        if access.writes
    }
    for access in facts.accesses:
        object = facts.points_to.object_of(access)
        if not _is_candidate(facts, access) or object is None:
            continue
        if access.kind is AccessKind.LOAD and (access.block, object) in stored:
            continue
        address = lane_address(facts.launches[0], access)
        if isinstance(address, LaneAddress) and sum(address.mask) == len(address.mask):
            key = (access.block, object, access.kind, access.width, _shape(address))
            groups.setdefault(key, []).append(address)
    for group in groups.values():
        for run in _runs_of(facts, group):
            if not is_vector_tail(facts, run.addresses[0]):
                yield run


def _is_candidate(facts: TrafficFacts, access: MemoryAccess) -> bool:
    return (
        access.kind in _KINDS
        and access.width in _NARROW
        and not access.vector
        and not access.volatile
        and facts.points_to.spaces(access) == {Space.GLOBAL}
    )


def _shape(address: LaneAddress) -> Hashable:
    """What accesses have in common that differ by a constant."""
    lanes = address.value.lanes
    return tuple(lane - lanes[0] for lane in lanes), frozenset(address.value.terms)


def _runs_of(facts: TrafficFacts, group: list[LaneAddress]) -> Iterator[NarrowRun]:
    """The vectors that accesses fill which differ by a constant."""
    by_offset: dict[int, LaneAddress] = {}
    for address in group:
        by_offset.setdefault(address.value.lanes[0], address)
    first = group[0]
    width = first.access.width or 0
    used: set[int] = set()
    for vector in _VECTORS:
        iterations = _iterations(facts, first, vector)
        if vector <= width:
            break
        for offset in sorted(by_offset):
            if (
                offset % vector
                or offset in used
                or not _is_aligned(facts, first, vector, iterations)
            ):
                continue
            wanted = [offset] if iterations else list(range(offset, offset + vector, width))
            if all(each in by_offset and each not in used for each in wanted):
                used.update(wanted)
                yield NarrowRun(tuple(by_offset[each] for each in wanted), vector, iterations)


def _iterations(facts: TrafficFacts, address: LaneAddress, vector: int) -> int:
    """The iterations of the innermost loop when they walk along whole vectors; else 0."""
    loop = facts.flow.innermost_loop.get(address.access.block)
    if loop is None:
        return 0
    width = address.access.width or 0
    if dict(address.value.terms).get(IterationNumber(loop.header)) != width:
        return 0
    iterations = facts.compile_time.iterations(loop) or 0
    length = iterations * width
    return iterations if 0 < length <= _LONGEST and length % vector == 0 else 0


def _is_aligned(facts: TrafficFacts, address: LaneAddress, vector: int, iterations: int) -> bool:
    """Whether the accesses begin a vector in every lane, and lanes have vectors of their own."""
    value = address.value
    lanes = [lane - value.lanes[0] for lane in value.lanes]
    if any(lane % vector for lane in lanes) or len(set(lanes)) < len(lanes):
        return False
    loop = facts.flow.innermost_loop.get(address.access.block)
    walked = IterationNumber(loop.header) if iterations and loop is not None else None
    bases = 0
    for name, factor in value.terms:
        if is_base(name) and factor == 1:
            bases += 1
        elif name != walked and any(item % vector for item in per_lane(factor)):
            return False
    return bases == 1
