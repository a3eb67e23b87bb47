"""The block shape that a kernel was made for, when nothing states it.

In: a kernel's facts. Out: a shape, with what gave it away, or None. Asked first is what the kernel
asserts (`asserted_blocks.py`), then where blocks go on in global memory (`neighbouring_blocks.py`,
`neighbouring_tiles.py`), then loops that all threads step through together (`strided_rows.py`),
then shared arrays. A
kernel that has `tile[16][17]` and stores `tile[threadIdx.y][threadIdx.x]` without a guard is meant
for 16×16: with larger blocks it leaves the array, with smaller ones it leaves parts of it
untouched. So shapes are tried from the largest down: the first is taken whose run stays inside all
arrays, where no thread stores in the part of another in a later iteration of a loop, and no row of
threads in that of another row, if there all threads together fill an array, but for padding, with
indices that no loop counts.
Not handled: arrays of unknown extents, three-dimensional blocks, shapes that are no powers of two.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from ...ir.memory import MemoryObject, Space
from ...ir.operations import AccessKind, Phi
from ...ir.values import Special
from ..block_execution.assumed_numbers import AssumedNumbers, SizeScenario
from ..block_execution.block_program import BlockProgram
from ..block_execution.execution import BlockExecution
from ..block_execution.launch_values import THREAD_INDEX
from ..block_execution.per_thread import PerThread
from ..block_execution.run_context import RunContext, Unordered
from ..block_execution.thread_vectors import entries, everyone, flags
from ..dataflow.slices import backward_slice, loads_in
from ..launch.assumed_launch import MAX_THREADS, AssumedLaunch
from ..pointers.indirect_addresses import is_found_in_memory
from ..warp_evaluation.lane_values import WARP
from .asserted_blocks import asserted_block
from .neighbouring_blocks import neighbouring_blocks
from .neighbouring_tiles import neighbouring_tiles
from .strided_rows import strided_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.kernel import Dimensions
    from ...ir.operations import MemoryAccess, Operation
    from ..block_execution.facts import BlockFacts, BlockLaunch
    from ..block_execution.run_context import AccessEvent

FILLED = 0.85  # of an array, the rest is padding: 8 of 9 in `[8][9]`
_LIMIT = 300_000
_WORD = 4  # bytes
_WIDEST = 1 << 12  # bytes of one access; of wider ones no more is looked at
_COUNTED = (AccessKind.LOAD, AccessKind.STORE, AccessKind.ASYNC_COPY)
_ROWS: tuple[Dimensions, ...] = tuple((1 << power, 1, 1) for power in range(10, 3, -1))
_COLUMNS: tuple[Dimensions, ...] = tuple((1, 1 << power, 1) for power in range(10, 1, -1))
_TILES: tuple[Dimensions, ...] = (
    (32, 32, 1),
    (32, 16, 1),
    (64, 8, 1),
    (64, 4, 1),
    (32, 8, 1),
    (16, 16, 1),
    (32, 4, 1),
    (16, 8, 1),
    (8, 8, 1),
    (4, 4, 1),
    (2, 2, 1),
)


class _OutsideError(Exception):
    """A thread leaves an array, or stores in the part of another: the block is too large."""


def infer_block(facts: BlockFacts, stated: AssumedLaunch) -> AssumedLaunch | None:
    """The launch with the block shape that the kernel is made for; None when nothing tells."""
    asserted = asserted_block(facts) if stated.guessed else None
    if asserted is not None:
        shape, call = asserted
        origin = f"asserted at line {call.location.span.line}"
        return replace(_inferred(stated, shape, origin), arguments=stated.arguments)
    neighbours = neighbouring_blocks(facts) if stated.guessed else None
    if neighbours is not None:
        threads, store = neighbours
        origin = f"blocks of {threads} store contiguous elements at line {store.location.span.line}"
        return _inferred(stated, (threads, 1, 1), origin)
    tiles = neighbouring_tiles(facts) if stated.guessed else None
    if tiles is not None:
        (x, y), store = tiles
        origin = f"blocks of {x}x{y} store contiguous elements at line {store.location.span.line}"
        return _inferred(stated, (x, y, 1), origin)
    strides = None if stated.trusted else strided_rows(facts)
    if strides is not None and (stated.guessed or prod(strides[0]) == stated.threads):
        (x, y), phi = strides
        origin = f"blocks of {x}x{y} move on together at line {phi.location.span.line}"
        return _inferred(stated, (x, y, 1), origin)
    arrays = [item for item in facts.kernel.objects if item.space is Space.SHARED and item.size]
    used = thread_axes(facts)
    if not arrays or Special.THREAD_Z in used or not used:
        return None
    shapes = _TILES if Special.THREAD_X in used else _COLUMNS
    for shape in shapes if Special.THREAD_Y in used else _ROWS:
        threads = shape[0] * shape[1]
        if not stated.guessed and threads != stated.threads:
            continue
        launch = AssumedLaunch(shape, stated.grid, None, "", arguments=stated.arguments)
        watcher = _fill(facts, launch)
        if watcher is None:
            continue
        filled = watcher.filled()
        if filled is None and shape[1] == 1:
            return None  # it would have to fill the array: what it leaves, a guard leaves
        if filled is not None and _is_the_largest(facts, shape):
            extents = "".join(f"[{extent}]" for extent in filled.extents)
            origin = f"the only shape that fills {filled.name}{extents}"
            return replace(_inferred(stated, shape, origin), arguments=stated.arguments)
    return None


def _inferred(stated: AssumedLaunch, block: Dimensions, origin: str) -> AssumedLaunch:
    """A launch of a block that the kernel shows to be made for."""
    formulas = stated.formulas
    return AssumedLaunch(block, stated.grid, None, origin, inferred=True, formulas=formulas)


def smaller_shapes(block: Dimensions) -> Iterator[Dimensions]:
    """The shapes of smaller blocks: the block halved, and halved again, down to one warp."""
    x, y, z = block
    while x * y * z > WARP:
        if z > 1:
            z //= 2
        elif y > 1:
            y //= 2
        else:
            x //= 2
        yield x, y, z


def use_of(
    launch: BlockLaunch,
    item: MemoryObject,
    scenario: SizeScenario = SizeScenario.EQUAL,
    index: Dimensions = (0, 0, 0),
) -> ArrayUse:
    """What a block of a candidate shape reads of a shared array, and what it writes."""
    program = BlockProgram(launch)
    context = RunContext(launch, index, AssumedNumbers(program, launch, scenario), limit=_LIMIT)
    watcher = ArrayUse(program, launch, item)
    BlockExecution(program, context, watcher).run()
    return watcher


def thread_axes(facts: BlockFacts) -> set[Special]:
    """The parts of threadIdx that a kernel asks for, which its block must have; the lane of a warp
    counts as x.
    """
    found = {axis for axis in THREAD_INDEX if axis in facts.registers}
    return found | ({Special.THREAD_X} if Special.LANE in facts.registers else set())


def _is_the_largest(facts: BlockFacts, shape: Dimensions) -> bool:
    """Whether twice as many rows would leave an array; rows of threads alone are tried before."""
    x, y, z = shape
    doubled = AssumedLaunch((x, y * 2, z), (None, None, None), None, "")
    return y == 1 or doubled.threads > MAX_THREADS or _fill(facts, doubled) is None


def _fill(facts: BlockFacts, assumed: AssumedLaunch) -> _Filling | None:
    """What a block of this shape fills; None when it leaves an array."""
    from ..block_execution.facts import BlockLaunch

    launch = BlockLaunch(facts, assumed)
    program = BlockProgram(launch)
    context = RunContext(
        launch, (0, 0, 0), AssumedNumbers(program, launch, SizeScenario.EQUAL), limit=_LIMIT
    )
    watcher = _Filling(program, assumed)
    try:
        BlockExecution(program, context, watcher).run()
    except _OutsideError:
        return None
    return watcher


class ArrayUse(Unordered):
    """Watches, while a block of a candidate shape runs, which words of a shared array are read and
    which are written: a block that fits fills it.
    """

    def __init__(self, program: BlockProgram, launch: BlockLaunch, item: MemoryObject) -> None:
        self._program = program
        self._facts = launch.facts
        self._item = item
        self._count = launch.launch.threads
        self._read: set[int] = set()
        self._written: set[int] = set()
        self._led = False  # data leads to any element

    @property
    def is_full(self) -> bool:
        """Whether no element stays as it was."""
        return _WORD * len(self._written) >= (self._item.size or 0)

    @property
    def suits(self) -> bool:
        """Whether the block reads no more than it writes: it may well be made for the array."""
        return self._read <= self._written and (self.is_full or not self._led)

    def access(self, event: AccessEvent) -> None:
        """The words of one access: a vector may be written that is read one by one. Where data
        leads, the element that is read in a run is an example.
        """
        access, width = event.access, event.access.width or 1
        if event.addresses is None:
            ours = self._facts.points_to.object_of(access) is self._item
            self._led |= ours and is_found_in_memory(self._facts, access.address)
        elif not access.writes and loads_in(access.address):
            return
        taking_part = flags(event.must | event.may, self._count)
        for address, flag in zip(entries(event.addresses, self._count), taking_part, strict=False):
            if address is None or not flag:
                continue
            place = self._program.object_at(address)
            if place is not None and place[0] is self._item and place[1] >= 0:
                last = place[1] + min(width, _WIDEST) - 1
                words = range(place[1] // _WORD, last // _WORD + 1)
                (self._written if access.writes else self._read).update(words)


class _Filling(Unordered):
    """Watches which bytes of shared arrays all threads of the block touch together."""

    def __init__(self, program: BlockProgram, launch: AssumedLaunch) -> None:
        self._program = program
        self._count = launch.threads
        self._row = launch.block[0]
        self._touched: dict[MemoryObject, set[int]] = {}
        self._counted: dict[MemoryAccess, bool] = {}
        self._owners: dict[MemoryAccess, dict[int, int]] = {}  # who stored where since a barrier

    def block_barrier(self, barrier: Operation) -> None:
        """Others may store there now."""
        self._owners.clear()

    def access(self, event: AccessEvent) -> None:
        """The bytes of one access; _OutsideError when a thread leaves its array, or its part."""
        width = event.access.width
        if event.addresses is None or not width or width > _WIDEST or not event.must:
            return
        if event.access.kind not in _COUNTED:
            return
        addresses = self._known(event)
        if not addresses:
            return
        # What all threads touch alike is filled by a block of any shape.
        together = event.must == everyone(self._count) and len(addresses) > 1
        together = together and not self._is_counted(event.access)
        item, low = self._program.object_at(min(addresses)) or (None, 0)
        last, high = self._program.object_at(max(addresses)) or (None, 0)
        if item is not None and item.space is Space.SHARED and low < 0:
            raise _OutsideError  # before its first element
        if item is not last:  # threads that go astray: one by one
            places = [self._program.object_at(address) for address in addresses]
            found = [place for place in places if place is not None]
            if len(found) < len(places) and any(i.space is Space.SHARED for i, _ in found):
                raise _OutsideError  # behind its last
        elif item is None or item.space is not Space.SHARED:
            return
        else:
            if item.size is not None and high + width > item.size:
                raise _OutsideError
            found = [(item, high)]
            if together and _are_side_by_side(addresses, width):
                self._touch(item, low, high)
            elif together:
                start = min(addresses) - low
                found = [(item, address - start) for address in addresses]
        for item, offset in found:
            if item.space is not Space.SHARED or item.size is None:
                continue
            if offset + width > item.size:
                raise _OutsideError
            if together:
                self._touch(item, offset, offset + width)
        if isinstance(event.addresses, PerThread) and event.access.kind is AccessKind.STORE:
            self._own(event.access, event.addresses.entries, flags(event.must, self._count))

    def _touch(self, item: MemoryObject, start: int, end: int) -> None:
        """All threads together touch these bytes of an array."""
        self._touched.setdefault(item, set()).update(range(start, end))

    def _own(self, access: MemoryAccess, addresses: tuple[int | None, ...], taking: bytes) -> None:
        """No thread stores where another one stored before, or where one of another row does."""
        owners = self._owners.setdefault(access, {})
        places = [
            (address, thread)
            for thread, (address, flag) in enumerate(zip(addresses, taking, strict=False))
            if flag and address is not None
        ]
        new = dict(places)
        if len(new) < len(places) or not owners.keys().isdisjoint(new):
            new = {}
            for address, thread in places:
                row = new.get(address, thread) // self._row
                if owners.get(address, thread) != thread or row != thread // self._row:
                    raise _OutsideError
                new[address] = thread
        owners.update(new)

    def _known(self, event: AccessEvent) -> set[int]:
        """Where the threads that are sure to come go, as far as that is known."""
        addresses = entries(event.addresses, self._count)
        if event.must == everyone(self._count):
            return {address for address in addresses if address is not None}
        pairs = zip(addresses, flags(event.must, self._count), strict=False)
        return {address for address, flag in pairs if flag and address is not None}

    def _is_counted(self, access: MemoryAccess) -> bool:
        """Whether the index changes with the iterations of a loop: such code fills any array."""
        if access not in self._counted:
            phis = (isinstance(each, Phi) for each in backward_slice(access.address))
            self._counted[access] = any(phis)
        return self._counted[access]

    def filled(self) -> MemoryObject | None:
        """An array of known size of which no more than padding is left over."""
        for item, touched in self._touched.items():
            if item.size and len(touched) >= FILLED * item.size and len(touched) > 4:
                return item
        return None


def _are_side_by_side(addresses: set[int], width: int) -> bool:
    """Whether accesses of a width touch all bytes from the first to the last of them."""
    first = min(addresses)
    whole = max(addresses) - first == width * (len(addresses) - 1)
    return whole and not any((address - first) % width for address in addresses)
