"""Elements of shared arrays that a thread reads and no thread of its block writes.

In: a kernel's facts. Out: for each array at most one load of such an element, with the thread and
the store to global memory by which it makes a difference. The first block of each launch is run in
full, once with sizes for which every thread finds work and once with others; both must show it.
A halo that nobody loads is the common case. What such a load gives is often thrown away (lanes at
the end of a reduction), so it counts only where arithmetic alone takes it to a store to global
memory that the same thread is sure to make.
Not handled: launches that are a guess, arrays that more than loads and stores of known places may
fill, runs that do not get to the end, order (a write that comes after the read counts).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..ir.memory import Space
from ..ir.operations import AccessKind, Convert, MemoryAccess, Opcode, Operation, Phi
from .assumed_numbers import AssumedNumbers, Course
from .block_execution import BlockExecution
from .block_program import BlockProgram
from .block_scene import Scene
from .races import WORK
from .thread_vectors import entries, flags, numbers
from .unwritten import ARITHMETIC, PASSING_ON

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ir.memory import MemoryObject
    from ..ir.values import Value
    from .block_scene import Visit
    from .facts import KernelFacts, LaunchFacts
    from .launch import AssumedLaunch
    from .thread_vectors import Threads

_PLAIN = frozenset({AccessKind.LOAD, AccessKind.STORE, AccessKind.ATOMIC, AccessKind.ASYNC_COPY})
_Key = tuple[MemoryAccess, MemoryAccess]
_Uses = dict[MemoryAccess, list[MemoryAccess]]


@dataclass(frozen=True, slots=True)
class Unfilled:
    """A load of what nobody wrote, and the store that its thread makes of it."""

    load: MemoryAccess
    store: MemoryAccess
    item: MemoryObject
    offset: int  # in bytes
    thread: int
    launch: AssumedLaunch


def unfilled_reads(facts: KernelFacts) -> Iterator[Unfilled]:
    """One for each array, the launch that shows it first."""
    if facts.kernel.status != "full" or any(map(_is_unknown, facts.kernel.operations())):
        return
    reported: set[MemoryObject] = set()
    uses = _uses(facts)
    for launch in facts.launches if uses else ():
        stated = launch.launch.trusted and not launch.launch.guessed
        for found in _in_launch(launch, uses) if stated else ():
            if found.item not in reported:
                reported.add(found.item)
                yield found


def _is_unknown(operation: Operation) -> bool:
    return operation.opcode in (Opcode.CALL, Opcode.OPAQUE)


def _in_launch(launch: LaunchFacts, uses: _Uses) -> list[Unfilled]:
    program = BlockProgram(launch)
    first = _run(program, launch, Course.EQUAL)
    found = first.unfilled(uses)
    if found and (first.numbers.used or first.numbers.decided):
        second = _run(program, launch, Course.DIFFERENT).unfilled(uses)
        found = {key: each for key, each in found.items() if key in second}
    return list(found.values())


def _run(program: BlockProgram, launch: LaunchFacts, course: Course) -> _Touched:
    numbers = AssumedNumbers(program, launch, course)
    share = WORK // 2 // len(launch.facts.launches)
    touched = _Touched(program, launch, numbers)
    outcome = BlockExecution(program, Scene(launch, (0, 0, 0), numbers, limit=share), touched).run()
    touched.complete = not (outcome.stopped or outcome.cut)
    return touched


# ---- what becomes of a load ----------------------------------------------------------------------


def _uses(facts: KernelFacts) -> _Uses:
    """By load of a shared array, the stores to global memory that arithmetic takes it to."""
    points_to = facts.points_to
    users: dict[Value, list[Operation]] = {}
    for operation in facts.kernel.operations():
        for operand in operation.operands:
            users.setdefault(operand, []).append(operation)
    found: _Uses = {}
    for load in facts.accesses:
        if load.kind is not AccessKind.LOAD or points_to.space_of(load) is not Space.SHARED:
            continue
        stores = [
            each
            for each in _reached(facts, load, users)
            if isinstance(each, MemoryAccess) and points_to.space_of(each) is Space.GLOBAL
        ]
        if stores:
            found[load] = stores
    return found


def _reached(
    facts: KernelFacts, load: MemoryAccess, users: dict[Value, list[Operation]]
) -> Iterator[Operation]:
    """The stores that a value comes to, through arithmetic and sums over the rounds of a loop."""
    seen: set[Operation] = {load}
    work: list[Operation] = [load]
    while work:
        value = work.pop()
        for user in users.get(value, ()):
            if isinstance(user, MemoryAccess):
                if user.kind is AccessKind.STORE and user.operands[-1] is value:
                    yield user
            elif user not in seen and (_is_sum(facts, user) or _computes(user)):
                seen.add(user)
                work.append(user)


def _is_sum(facts: KernelFacts, user: Operation) -> bool:
    if not isinstance(user, Phi) or user.block is None:
        return False
    return any(loop.header is user.block for loop in facts.flow.loops)


def _computes(user: Operation) -> bool:
    return user.opcode in ARITHMETIC or isinstance(user, Convert)


# ---- one run -------------------------------------------------------------------------------------


class _Touched:
    """Watches which bytes of shared arrays the threads of a block read and write."""

    def __init__(self, program: BlockProgram, launch: LaunchFacts, numbers: AssumedNumbers) -> None:
        self.numbers = numbers
        self.complete = False
        self._program = program
        self._launch = launch
        self._count = launch.launch.threads
        self._points_to = launch.facts.points_to
        self._written: dict[MemoryObject, set[int]] = {}
        self._filled: set[MemoryObject | None] = set(_given_away(launch.facts))  # who knows by what
        self._reads: dict[MemoryAccess, dict[tuple[MemoryObject, int], Threads]] = {}
        self._stores: dict[MemoryAccess, Threads] = {}

    def block_barrier(self, barrier: Operation) -> None:
        """Nothing: order is not asked for."""

    def warp_barrier(self, threads: Threads, operation: Operation) -> None:
        """Nothing."""

    def fence(self, operation: Operation) -> None:
        """Nothing."""

    def access(self, visit: Visit) -> None:
        """The bytes of one access."""
        access = visit.access
        if access.kind is AccessKind.STORE:
            self._stores[access] = self._stores.get(access, 0) | visit.sure
        if access.kind is AccessKind.LOAD:
            self._note_reads(visit)
        if access.writes or access.kind is not AccessKind.LOAD:
            self._note_writes(visit)

    def _note_reads(self, visit: Visit) -> None:
        if Space.SHARED not in self._points_to.spaces(visit.access):
            return
        reads = self._reads.setdefault(visit.access, {})
        here = flags(visit.sure, self._count)
        pairs = zip(entries(visit.addresses, self._count), here, strict=False)
        for thread, (address, flag) in enumerate(pairs):
            place = self._program.object_at(address) if flag and address is not None else None
            if place is not None:
                reads[place] = reads.get(place, 0) | 1 << 8 * thread  # a byte for each

    def _note_writes(self, visit: Visit) -> None:
        access = visit.access
        there = flags(visit.sure | visit.maybe, self._count)
        for address, flag in zip(entries(visit.addresses, self._count), there, strict=False):
            if not flag:
                continue
            place = None if address is None else self._program.object_at(address)
            if place is None or not access.width or access.kind not in _PLAIN:
                self._filled |= self._points_to.touched(access)
                return
            item, offset = place
            self._written.setdefault(item, set()).update(range(offset, offset + access.width))

    def unfilled(self, uses: _Uses) -> dict[_Key, Unfilled]:
        """By load and store what the run shows; nothing when it did not come to its end."""
        found: dict[_Key, Unfilled] = {}
        if not self.complete or None in self._filled:
            return found
        for load, reads in self._reads.items():
            for (item, offset), threads in reads.items():
                if self._is_filled(item, offset, load.width or 1):
                    continue
                for store in uses.get(load, ()):
                    both = threads & self._stores.get(store, 0)
                    if both:
                        thread = numbers(both, self._count)[0]
                        unfilled = Unfilled(load, store, item, offset, thread, self._launch.launch)
                        found.setdefault((load, store), unfilled)
        return found

    def _is_filled(self, item: MemoryObject, offset: int, width: int) -> bool:
        if item.space is not Space.SHARED or item.dynamic or item.linkage or item in self._filled:
            return True
        if item.size is None or offset < 0 or offset + width > item.size:
            return True  # beyond its end: another matter
        written = self._written.get(item)
        return not written or any(byte in written for byte in range(offset, offset + width))


def _given_away(facts: KernelFacts) -> Iterator[MemoryObject | None]:
    """The arrays that something gets which may fill them."""
    for operation in facts.kernel.operations():
        values = operation.operands if operation.opcode in PASSING_ON else []
        if isinstance(operation, MemoryAccess):
            values = operation.operands[1:]
        for value in values:
            yield from facts.points_to.of(value) - {None}
