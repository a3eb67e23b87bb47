"""Threads that leave an array in local, constant, global or dynamic shared memory.

In: the launches of a kernel. Problem: which accesses go beyond an array of known size? That of a
declared array is its own; that behind a parameter is what the host has allocated for the pointer
that it passes. The first and the last block of the grid, and those in which a number lies that is
passed or compared with, are run with the numbers of the launch (`launch/numbered_launches.py`); an
access counts when it leaves its array in every choice of numbers.
A thread must come there whatever data says, and no number that the launch does not give may have a
part in where it goes, nor in a condition about what decides where it goes; a variable of the host
only where the size is made of it, too. The block must be stated, unless it has no part in it.
Of shared memory only the dynamic one is looked at, which has the size that the launch gives it.
Where the host chooses among instances of a template while it runs, whether others stay inside at
the same place is said as well: a `dtype` that a kernel is not for may never be passed to it.
Not handled: other shared arrays (`races/out_of_bounds.py`), pointers into the middle of an
allocation, what a row of an array has room for.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, Compare, Phi
from ...ir.values import Constant, SpecialRegister, whole_number
from ...source.records import dataclass
from ..block_execution.assumed_numbers import AssumedNumbers, SizeScenario
from ..block_execution.block_program import BlockProgram
from ..block_execution.execution import BlockExecution
from ..block_execution.launch_values import BLOCK_INDEX, GRID_SIZES
from ..block_execution.packed_arithmetic import is_within
from ..block_execution.per_thread import PerThread
from ..block_execution.run_context import RunContext, Unordered
from ..block_execution.thread_vectors import entry_of, numbers
from ..dataflow.slices import backward_slice
from ..launch.assumed_launch import is_grid
from ..launch.numbered_launches import NumberedLaunch, numbered
from .value_ranges import ValueRanges

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...ir.block import Block
    from ...ir.kernel import Dimensions, Kernel
    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess
    from ...ir.values import Value
    from ...source.text import Span
    from ..block_execution.facts import BlockFacts, BlockLaunch
    from ..block_execution.run_context import AccessEvent
    from ..block_execution.thread_vectors import Vector
    from ..launch.assumed_launch import AssumedLaunch

_KINDS = (AccessKind.LOAD, AccessKind.STORE, AccessKind.ATOMIC, AccessKind.REDUCTION)
_SPACES = (Space.LOCAL, Space.CONSTANT, Space.GLOBAL)
_OF_GRID = frozenset((*BLOCK_INDEX, *GRID_SIZES))
_WITHIN = 4  # blocks
_WORK = 160_000  # values of single threads for one block
_INSTANCES = 16  # that are looked at beside one that leaves an array


@dataclass(frozen=True, slots=True)
class Overrun:
    """A thread that accesses memory beyond an array, `offset` bytes after its first byte."""

    access: MemoryAccess
    item: MemoryObject
    size: int  # bytes
    offset: int
    block: Dimensions  # blockIdx
    thread: int  # in the block
    launch: AssumedLaunch
    chosen: tuple[tuple[str, int], ...]  # variables of the host and the numbers they were given
    spared: bool = False  # the host chooses among instances, and another one stays inside here


def overruns(facts: BlockFacts) -> tuple[Overrun, ...]:
    """Each access beyond the end of its array, once; of the first launch in which it leaves it."""
    found = _of_kernel(facts)
    spared = _spared(facts, {each.access.location.span for each in found})
    return tuple(replace(each, spared=each.access.location.span in spared) for each in found)


def _spared(facts: BlockFacts, places: set[Span]) -> set[Span]:
    """The places of these where another instance stays inside, if the host chooses among them."""
    spared: set[Span] = set()
    others = facts.instances if places and _is_chosen(facts.kernel) else ()
    for other in islice(others, _INSTANCES):
        if other is facts.kernel or not _is_chosen(other):
            continue
        there = facts.of_kernel(other)
        reached = {each.location.span for each in there.accesses} & places - spared
        if reached:
            left = _of_kernel(there)
            spared |= reached - {each.access.location.span for each in left}
    return spared


def _is_chosen(kernel: Kernel) -> bool:
    """Whether a condition that only a run decides leads to every launch of an instance."""
    return bool(kernel.instance and kernel.launches) and all(
        each.conditional for each in kernel.launches
    )


def _of_kernel(facts: BlockFacts) -> tuple[Overrun, ...]:
    found: dict[MemoryAccess, Overrun] = {}
    launched = facts.kernel.launches
    fail = bool(launched) and not any(is_grid(each.grid) for each in launched)
    if not facts.runs_blocks or fail:
        return ()
    for launch in facts.launches:
        for overrun in _of_launch(launch):
            found.setdefault(overrun.access, overrun)
    return tuple(found.values())


def _of_launch(launch: BlockLaunch) -> Iterator[Overrun]:
    choices = numbered(launch.launch) or [_as_it_is(launch.launch)]
    found: list[dict[MemoryAccess, Overrun]] = []
    for choice in choices:
        varied = launch.with_numbers(choice.grid, choice.arguments)
        run = _Runs(varied, choice)
        found.append(run.overruns() if run.watched else {})
        if not found[-1]:
            return
    for access, overrun in found[0].items():
        if all(access in other for other in found):
            yield overrun


def _as_it_is(launch: AssumedLaunch) -> NumberedLaunch:
    return NumberedLaunch(launch.grid, launch.arguments, ())


class _Runs:
    """The runs of one launch in numbers, and the accesses that are watched."""

    def __init__(self, launch: BlockLaunch, numbers: NumberedLaunch) -> None:
        self._launch = launch
        self._numbers = numbers
        self._program = BlockProgram(launch)
        self._behind: dict[Value, frozenset[Value]] = {}  # what the conditions of a block ask
        self.watched = dict(self._watched())

    def overruns(self) -> dict[MemoryAccess, Overrun]:
        """The accesses that leave their arrays in the first or the last block."""
        found: dict[MemoryAccess, Overrun] = {}
        blocks = self._blocks()
        watched = self._unsettled(blocks)
        for index in blocks if watched else ():
            seen = _Watch(self._program, self._launch, watched)
            assumed = AssumedNumbers(self._program, self._launch, SizeScenario.EQUAL)
            context = RunContext(self._launch, index, assumed, limit=_WORK)
            BlockExecution(self._program, context, seen).run()
            for access, (thread, offset) in seen.found.items():
                item, size = self.watched[access]
                launch, chosen = self._launch.launch, self._numbers.chosen
                overrun = Overrun(access, item, size, offset, index, thread, launch, chosen)
                found.setdefault(access, overrun)
        return found

    def _unsettled(
        self, blocks: Sequence[Dimensions]
    ) -> dict[MemoryAccess, tuple[MemoryObject, int]]:
        """The watched accesses of which intervals do not show that they stay in their arrays."""
        ranges = ValueRanges(self._launch, self._program, blocks)
        return {
            access: (item, size)
            for access, (item, size) in self.watched.items()
            if not self._stays_inside(access, item, size, ranges)
        }

    def _stays_inside(
        self, access: MemoryAccess, item: MemoryObject, size: int, ranges: ValueRanges
    ) -> bool:
        start, found = self._program.address(item), ranges.of(access.address, access.block)
        last = start + size - (access.width or 1)
        return found is not None and start <= found.low and found.high <= last

    def _blocks(self) -> list[Dimensions]:
        """The last block, the first one, and those in which numbers lie that threads stop at."""
        x, y, z = self._numbers.grid
        if x is None or y is None or z is None:
            return [(0, 0, 0)]
        width = self._launch.launch.block[0]
        numbers = (*self._numbers.arguments, *self._compared())
        places = {number // width for number in numbers if number is not None}
        within = [(place, 0, 0) for place in sorted(places) if 0 < place < x]
        return list(dict.fromkeys([(x - 1, y - 1, z - 1), (0, 0, 0), *within[:_WITHIN]]))

    def _compared(self) -> Iterator[int | None]:
        """The constants that the kernel compares with: `i <= 1000`."""
        for operation in self._launch.facts.kernel.operations():
            if isinstance(operation, Compare):
                yield from map(whole_number, operation.operands)

    def _watched(self) -> Iterator[tuple[MemoryAccess, tuple[MemoryObject, int]]]:
        """The accesses whose place rests on what the launch gives, with the size of the array."""
        facts = self._launch.facts
        sizes = self._sizes()
        for access in facts.accesses:
            item = facts.points_to.object_of(access)
            if item is None or access.kind not in _KINDS or access.width is None:
                continue
            size, variables = sizes.get(item, (self._declared(item), frozenset()))
            if size is None or size <= 0:  # below: the product that the host asks for has wrapped
                continue
            if self._is_given(access, variables):
                yield access, (item, size)

    def _declared(self, item: MemoryObject) -> int | None:
        """The size of an array by its declaration, or by the launch where that has it."""
        if item.dynamic and item.space is Space.SHARED:
            return self._launch.launch.dynamic_shared
        return None if item.pointee or item.space not in _SPACES else item.size

    def _sizes(self) -> dict[MemoryObject, tuple[int, frozenset[int]]]:
        """Of what parameters point to: bytes, and the variables of the host that these rest on."""
        numbers = self._numbers
        rows = zip(self._launch.facts.kernel.given, numbers.sizes, numbers.of_sizes, strict=False)
        return {p.pointee: (n, of) for p, n, of in rows if p.pointee is not None and n is not None}

    def _is_given(self, access: MemoryAccess, variables: frozenset[int]) -> bool:
        """Whether nothing that the launch does not state decides where an access goes, nor a
        variable of the host that is none of these.
        """
        address = deciding = _varying(access.address)
        launch = self._launch.launch
        unstated = launch.guessed or launch.inferred or launch.is_bound
        if unstated and any(isinstance(each, SpecialRegister) for each in address):
            return False
        if self._program.depends_on_assumed(access.address):
            return False
        chosen = (each for each in address if isinstance(each, Phi))
        if any(self._rests_on_assumed(phi, access) for phi in chosen):
            return False
        conditions = self._program.flow.conditions(access.block)
        known = self._behind  # of the access before, which mostly stands in the same block
        self._behind = {each: known[each] for each in conditions if each in known}
        for condition in conditions:
            parts = self._behind.get(condition)
            if parts is None:
                parts = self._behind[condition] = _varying(condition)
            if address.isdisjoint(parts):
                continue
            if self._program.depends_on_assumed(condition):
                return False
            deciding |= parts
        return self._variables_of(deciding) <= variables

    def _rests_on_assumed(self, phi: Phi, access: MemoryAccess) -> bool:
        """Whether such a number chooses the value of a phi: by its branches, by the iteration in
        which a loop ends whose last value it is, or by another counter that the loop around the
        access ends by, as compilers leave one of two.
        """
        flow = self._program.flow
        loop = flow.innermost_loop.get(phi.block)
        decisions = [each for part in phi.block.predecessors for each in flow.conditions(part)]
        if loop is not None and loop.header is phi.block:
            ends = [each.terminator.operands[0] for each in loop.exits]
            if loop in flow.loop_nest(access.block):
                decisions = list(filter(partial(_counts_in, phi.block), ends))
            else:
                decisions += ends
        return any(map(self._program.depends_on_assumed, decisions))

    def _variables_of(self, values: frozenset[Value]) -> set[int]:
        """The variables of the host that have a part in values."""
        found: set[int] = set()
        rows = zip(self._launch.facts.kernel.given, self._numbers.of_arguments, strict=False)
        for parameter, variables in rows:
            if parameter in values:
                found |= variables
        if any(isinstance(each, SpecialRegister) and each.register in _OF_GRID for each in values):
            found |= self._numbers.of_grid
        return found


def _counts_in(header: Block, condition: Value) -> bool:
    """Whether something that a loop changes has a part in a condition."""
    return any(isinstance(e, Phi) and e.block is header for e in backward_slice(condition))


def _varying(value: Value) -> frozenset[Value]:
    """What a value is made of, but for constants."""
    return frozenset(each for each in backward_slice(value) if not isinstance(each, Constant))


class _Watch(Unordered):
    """Sees which accesses leave their arrays: the thread that goes farthest, and how far."""

    def __init__(
        self,
        program: BlockProgram,
        launch: BlockLaunch,
        watched: Mapping[MemoryAccess, tuple[MemoryObject, int]],
    ) -> None:
        self._program = program
        self._launch = launch
        self._watched = watched
        self.found: dict[MemoryAccess, tuple[int, int]] = {}

    def access(self, event: AccessEvent) -> None:
        """Threads execute an access."""
        known = self._watched.get(event.access)
        if known is None or event.addresses is None or not event.must:
            return
        item, size = known
        start, width = self._program.address(item), event.access.width or 1
        if _are_within(event.addresses, start, start + size - width):
            return
        for thread, address in self._places(event):
            offset = address - start
            outside = offset < 0 or offset + width > size
            farthest = self.found.get(event.access)
            if outside and (farthest is None or abs(offset) > abs(farthest[1])):
                self.found[event.access] = (thread, offset)

    def _places(self, event: AccessEvent) -> Iterator[tuple[int, int]]:
        """The threads that are there for sure, with their addresses."""
        count = self._launch.launch.threads
        addresses = event.addresses
        for thread in numbers(event.must, count):
            address = entry_of(thread, addresses)
            if address is not None:
                yield thread, address


def _are_within(addresses: Vector, low: int, high: int) -> bool:
    """Whether all addresses, those of threads elsewhere too, are known and within these bounds."""
    if isinstance(addresses, PerThread):
        return addresses.known and is_within(addresses, low, high)
    return addresses is not None and low <= addresses <= high
