"""Common mistakes around mbarriers and the asynchronous proxy.

In: a kernel's facts. Out: an mbarrier that other threads use with no barrier of the block behind
its initialisation; one that a bulk copy signals without a fence behind its initialisation, or
without anybody telling it how many bytes are to come; one whose threads never arrive as often as it
was told to expect, or of whom more arrive and wait at one place; shared memory that a bulk copy
reads without `fence.proxy.async` behind the stores that filled it.

Follows the PTX ISA, 9.7.13.15 (`mbarrier`) and what "Memory Consistency Model" says of proxies, and
the CUDA C++ Programming Guide, "Asynchronous Data Copies using the Tensor Memory Accelerator". Only
barriers, fences and copies that stand on no way at all between two operations are missing, and
nothing is said where code that was not read stands between. Arrivals are counted for single
mbarriers, in loops only where each thread waits as it arrives. Not handled: mbarriers of other
blocks of a cluster.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ...ir.asynchronous import signalled
from ...ir.memory import Space
from ...ir.operation_kinds import BULK, AccessForm, FenceKind, MbarrierAction
from ...ir.operations import (
    WHOLE,
    AccessKind,
    Barrier,
    BarrierKind,
    Call,
    Fence,
    MemoryAccess,
    Opcode,
)
from ...ir.values import ObjectAddress, whole_number
from ...source.records import dataclass
from ..barriers.named_barriers import is_alike
from ..dataflow.paths import Waypoints
from ..warp_evaluation.lane_values import WARP, LaneValue, subtract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from ...ir.operations import Operation
    from ..barriers.facts import BarrierFacts, BarrierLaunch
    from ..launch.assumed_launch import AssumedLaunch

Thread = tuple[int, int]  # warp and lane
_MEETINGS = WHOLE | {BarrierKind.NAMED}
_UNREAD = frozenset({Opcode.CALL, Opcode.OPAQUE})
_TELLING_BYTES = frozenset({MbarrierAction.ARRIVE_EXPECTING, MbarrierAction.TRANSACTIONS})
_ARRIVALS = frozenset(
    {MbarrierAction.ARRIVE, MbarrierAction.ARRIVE_EXPECTING, MbarrierAction.COPIES_ARRIVE}
)


class MisuseKind(Enum):
    """What is missing around an mbarrier, or around the asynchronous proxy."""

    BARRIER = "barrier"  # behind the initialisation
    FENCE = "fence"  # behind the initialisation, for the asynchronous proxy
    ARRIVALS = "arrivals"  # fewer than expected
    CROWD = "crowd"  # more than expected, at once: phases end before all have come
    BYTES = "bytes"  # a bulk copy signals it, and nobody says how much is to come
    PROXY = "proxy"  # a fence behind the stores that a bulk copy reads


@dataclass(frozen=True, slots=True)
class Misuse:
    """A wrong use of an mbarrier or bulk copy: what comes first, what comes too early, and the
    object between them.
    """

    kind: MisuseKind
    first: Operation
    second: Operation
    item: MemoryObject
    expected: int = 0
    arriving: int = 0
    launch: AssumedLaunch | None = None


def misuses(facts: BarrierFacts) -> Iterator[Misuse]:
    """The wrong uses of mbarriers, at most one for each initialisation, and of bulk copies out of
    shared memory, one for each.
    """
    barriers = [
        operation for operation in facts.every(Barrier) if operation.kind is BarrierKind.MBARRIER
    ]
    copies = [access for access in facts.accesses if _is_bulk(access)]
    meeting, fenced = Waypoints(facts.flow, _meets), Waypoints(facts.flow, _is_fence)
    for first in facts.accesses:
        if _is_initialisation(first):
            found = _of_initialisation(facts, first, (barriers, copies), meeting, fenced)
            if found is not None:
                yield found
        elif _is_bulk(first):
            stored = _unfenced_store(facts, first, fenced)
            if stored is not None:
                yield stored


def _is_initialisation(access: MemoryAccess) -> bool:
    return access.form is AccessForm.MBARRIER_INIT


def _is_bulk(access: MemoryAccess) -> bool:
    return access.form in BULK


def _of_initialisation(
    facts: BarrierFacts,
    first: MemoryAccess,
    users: tuple[list[Barrier], list[MemoryAccess]],
    meeting: Waypoints,
    fenced: Waypoints,
) -> Misuse | None:
    item = facts.points_to.object_of(first)
    if item is None or item.space is not Space.SHARED:
        return None
    barriers, copies = users
    used = [each for each in barriers if item in _objects(facts, each)]
    if any(not each.operands for each in barriers):
        return None  # whose it is cannot be told
    early = _used_by_others(facts, first, used, meeting)
    if early is not None:
        return Misuse(MisuseKind.BARRIER, first, early, item)
    for copy in copies:
        signals = any(item in facts.points_to.of(v) for v in signalled(copy))
        if signals and fenced.passes_through(first, copy) is False:
            return Misuse(MisuseKind.FENCE, first, copy, item)
        if signals and _expects_nothing(facts, item, used):
            return Misuse(MisuseKind.BYTES, first, copy, item)
    return _wrong_count(facts, first, used, item)


def _expects_nothing(facts: BarrierFacts, item: MemoryObject, used: list[Barrier]) -> bool:
    """Whether no operation that may be on an mbarrier can tell it of bytes."""
    if any(each.opcode in _UNREAD for each in facts.kernel.operations()):
        return False
    if any(place and isinstance(user, Call) for user, place in facts.uses_of_objects.get(item, ())):
        return False
    return not any(each.mbarrier in _TELLING_BYTES for each in used)


def _objects(facts: BarrierFacts, barrier: Barrier) -> frozenset[MemoryObject | None]:
    return facts.points_to.of(barrier.operands[0]) if barrier.operands else frozenset()


# ---- barriers and fences -------------------------------------------------------------------------


def _used_by_others(
    facts: BarrierFacts, first: MemoryAccess, used: list[Barrier], meeting: Waypoints
) -> Barrier | None:
    """An operation on the mbarrier by a thread that did not make it, with no barrier between."""
    for each in used:
        if meeting.passes_through(first, each) is not False:
            continue
        launch = facts.launches[0]
        makers = _threads_at(launch, first)
        users = _threads_at(launch, each, together=True)
        if makers is not None and users is not None and users - makers:
            return each
    return None


def _meets(operation: Operation) -> bool:
    """Whether threads may meet here."""
    if operation.opcode in _UNREAD:
        return True
    return isinstance(operation, Barrier) and operation.kind in _MEETINGS


def _is_fence(operation: Operation) -> bool:
    """Whether it orders what follows for the asynchronous proxy, as far as is known."""
    if operation.opcode in _UNREAD:
        return True
    return isinstance(operation, Fence) and operation.kind is not FenceKind.MEMORY


def _unfenced_store(facts: BarrierFacts, copy: MemoryAccess, fenced: Waypoints) -> Misuse | None:
    """A store of this kernel to what a bulk copy reads, with no fence of the proxy between."""
    targets = facts.points_to.of(copy.operands[1]) if len(copy.operands) > 1 else frozenset()
    item = next(iter(targets)) if len(targets) == 1 else None
    if item is None or item.space is not Space.SHARED:
        return None
    for store in facts.accesses:
        if store.kind is AccessKind.STORE and facts.points_to.object_of(store) is item:
            if fenced.passes_through(store, copy) is not False:
                continue
            if _overlap(facts.launches[0], store, copy):
                return Misuse(MisuseKind.PROXY, store, copy, item)
    return None


def _overlap(launch: BarrierLaunch, store: MemoryAccess, copy: MemoryAccess) -> bool:
    """Whether a lane of the first warp surely stores to what the copy reads."""
    evaluator = launch.evaluator(0)
    to = evaluator.value_in(store.block, store.address)
    source = evaluator.value_in(copy.block, copy.operands[1])
    if not isinstance(to, LaneValue) or not isinstance(source, LaneValue) or not copy.width:
        return False
    distance = subtract(to, source)
    return distance.is_number and any(0 <= lane < copy.width for lane in distance.lanes)


# ---- arrivals ------------------------------------------------------------------------------------


def _wrong_count(
    facts: BarrierFacts, first: MemoryAccess, used: list[Barrier], item: MemoryObject
) -> Misuse | None:
    """Whether all arrivals together are fewer than what the mbarrier waits for, or those at one
    place that waits alone more.
    """
    waits = [each for each in used if each.wait]
    if not waits or not _is_alone(facts, first, used, item):
        return None
    for launch in facts.launches:
        if launch.launch.guessed or launch.launch.inferred or not launch.launch.trusted:
            continue
        expected = _expected(launch, first)
        if expected is None:
            continue
        for wait in waits:
            come = _threads_at(launch, wait, together=True) if wait.arrive else None
            if come is not None and len(come) > expected > 0:
                given = (expected, len(come), launch.launch)
                return Misuse(MisuseKind.CROWD, first, wait, item, *given)
        arriving = _arriving(facts, launch, used)
        if arriving is not None and 0 < arriving < expected:
            given = (expected, arriving, launch.launch)
            return Misuse(MisuseKind.ARRIVALS, first, waits[0], item, *given)
    return None


def _arriving(facts: BarrierFacts, launch: BarrierLaunch, used: list[Barrier]) -> int | None:
    """How many arrivals there can be before a phase ends; None where it is not known."""
    arrivals = [each for each in used if each.mbarrier in _ARRIVALS]
    if arrivals and all(each.wait for each in arrivals):  # each thread waits where it has arrived
        threads: set[Thread] = set()
        for each in arrivals:
            come = _threads_at(launch, each, together=True)
            if come is None or _count(each) != 1:
                return None
            threads |= come
        return len(threads)
    arriving = 0
    for each in arrivals:
        come, count = _threads_at(launch, each), _count(each)
        if come is None or count is None or facts.flow.loop_nest(each.block):
            return None
        arriving += len(come) * count
    return arriving


def _is_alone(
    facts: BarrierFacts, first: MemoryAccess, used: list[Barrier], item: MemoryObject
) -> bool:
    """Whether every operation on the mbarrier is known, and it is one and not an array."""
    unread = any(each.opcode in _UNREAD for each in facts.kernel.operations())
    addresses = [first.address, *(each.operands[0] for each in used)]
    single = all(isinstance(address, ObjectAddress) for address in addresses)
    several = sum(map(_is_initialisation, facts.accesses)) > 1
    remote = any(each.remote or each.mbarrier is MbarrierAction.COPIES_ARRIVE for each in used)
    if unread or not single or several or remote or item.size not in (None, 8):
        return False
    copies = (copy for copy in facts.accesses if copy.kind is AccessKind.ASYNC_COPY)
    return not any(copy.form not in BULK and signalled(copy) for copy in copies)


def _expected(launch: BarrierLaunch, first: MemoryAccess) -> int | None:
    value = launch.evaluator(0).value_in(first.block, first.operands[1])
    if isinstance(value, LaneValue) and value.is_number and len(set(value.lanes)) == 1:
        return value.lanes[0]
    return None


def _count(barrier: Barrier) -> int | None:
    """How often one thread arrives at once, if the second operand says that, and not bytes."""
    if len(barrier.operands) < 2 or barrier.mbarrier is MbarrierAction.ARRIVE_EXPECTING:
        return 1
    return whole_number(barrier.operands[1])


def _threads_at(
    launch: BarrierLaunch, operation: Operation, *, together: bool = False
) -> set[Thread] | None:
    """The threads that come to an operation; None when a decision is not known. `together`: one
    that all threads of the block take alike may be unknown, as where a loop ends.
    """
    found: set[Thread] = set()
    for warp in range(launch.launch.warps):
        guarded = launch.guards(launch.evaluator(warp)).of(operation.block)
        if guarded.assumed and not (together and is_alike(launch, guarded)):
            return None
        found |= {(warp, lane) for lane in range(WARP) if guarded.mask[lane]}
    return found
