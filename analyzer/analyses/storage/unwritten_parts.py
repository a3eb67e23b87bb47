"""Parts of shared arrays that threads read although no thread of the block writes them.

In: a kernel's facts and a launch that the source states. Out: for each array the first read of an
element that is not written in a run of a block, and the block that would write it, if it has the
shape of the array or a multiple of the threads: a kernel that fills `tile[32][32]` by
`tile[threadIdx.y][threadIdx.x]` is made for 32x32 threads. Sizes that the host chooses are `_SIZE`,
so that runs come to their end; one that does not shows nothing, and where iterations are left out,
stores that move with them may be anywhere. Sizes with which threads leave an array are none that it
is made for, and show nothing of it. Where sizes keep threads from a store, as `row < rows`
does at the edge of a matrix, the element must be unwritten for the larger ones of `_LARGER`, too;
where they keep threads from using what nobody wrote, the largest shows whether anybody does.
Writes that perhaps happen count as such.
Reads of which nothing is made but sums that nobody takes are none (`undefined_values.py`).
Atomic updates initialise nothing: bins that are counted in must have been stored before.
Not handled: arrays with no more elements than the block has threads where sizes decide who stores
in them, or whose elements are given to shuffles (the lanes beyond the last warp's sum read what
nobody uses), arrays that something else may write (`unwritten.py`), addresses that are not known.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, MemoryAccess, Phi, WarpOperation
from ...ir.values import Parameter, Unknown
from ...source.records import dataclass
from ..block_execution.assumed_numbers import AssumedNumbers, SizeScenario
from ..block_execution.barrier_rendezvous import StopError
from ..block_execution.block_program import BlockProgram
from ..block_execution.execution import BlockExecution
from ..block_execution.run_context import RunContext, Unordered
from ..block_execution.thread_vectors import entries, numbers
from ..dataflow.slices import backward_slice, forward_slice
from ..launch.numbered_launches import numbered
from ..pointers.memory_model import ATOMIC
from .undefined_values import UndefinedValues
from .unwritten import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ir.kernel import Dimensions
    from ...ir.memory import MemoryObject
    from ..block_execution.run_context import AccessEvent
    from ..launch.assumed_launch import AssumedLaunch
    from ..races.facts import RaceFacts, RaceLaunch

    Sizes = tuple[tuple[str, int], ...]
    _Read = tuple[MemoryAccess, int, int, Sizes]

_SIZE = 64
_LARGER = (128, 1024)  # those of whole tiles
_WORK = 800_000  # values of single threads
_MOST = 1024  # threads of a block
_READS = frozenset({AccessKind.LOAD, *ATOMIC})


@dataclass(frozen=True, slots=True)
class UnwrittenPart:
    """A read of a shared array's element that nobody writes; `made_for` is the block that would
    write it, `sizes` are those that the run was made with.
    """

    access: MemoryAccess
    item: MemoryObject
    offset: int
    thread: int
    launch: AssumedLaunch
    made_for: Dimensions | None
    sizes: Sizes


def unwritten_parts(facts: RaceFacts) -> Iterator[UnwrittenPart]:
    """The first read of an element that no thread of the block writes, for each shared array, of
    the first launch that shows it.
    """
    if facts.kernel.status != "full" or not facts.runs_blocks:
        return
    if not facts.kernel.launches or facts.options.block is not None:
        return  # the source states no block
    given_away = escaped(facts, updates=False, stores=False)
    if None in given_away:
        return
    reported: set[MemoryObject] = set()
    for launch in facts.launches:
        stated = launch.launch
        if stated.unsettled or stated.inferred:
            continue
        watched = {
            each
            for each in _arrays(facts, stated.threads)
            if each not in given_away and each not in reported
        }
        for item, read in _unwritten(launch, watched).items():
            reported.add(item)
            access, thread, offset, sizes = read
            made_for = _made_for(launch, item, access, watched)
            yield UnwrittenPart(access, item, offset, thread, stated, made_for, sizes)


def _arrays(facts: RaceFacts, threads: int) -> set[MemoryObject]:
    """The shared arrays that are written: those with more elements than a block has threads, and
    those whose stores are made whatever the sizes are and whose loads no shuffle takes.
    """
    stores: dict[MemoryObject, list[MemoryAccess]] = {}
    loads: dict[MemoryObject, list[MemoryAccess]] = {}
    for access in facts.accesses:
        item = facts.points_to.object_of(access)
        if item is None or item.space is not Space.SHARED or item.dynamic or not item.size:
            continue
        if item.size > facts.architecture.shared_per_sm:
            continue  # no block runs with it
        if access.writes and not _is_update(access):
            stores.setdefault(item, []).append(access)
        elif access.kind is AccessKind.LOAD:
            loads.setdefault(item, []).append(access)
    return {
        item
        for item, writing in stores.items()
        if (item.size or 0) // _width(item, [*writing, *loads.get(item, ())]) > threads
        or (
            all(_is_made_anyway(facts, store) for store in writing)
            and not _is_shuffled(facts, loads.get(item, ()))
        )
    }


def _width(item: MemoryObject, accesses: Sequence[MemoryAccess]) -> int:
    """The bytes of an element; bytes, as PTX declares all arrays, may stand for larger ones."""
    declared = item.element.width or 1
    return declared if declared > 1 else min(each.width or 1 for each in accesses)


def _is_update(access: MemoryAccess) -> bool:
    """Whether an atomic operation begins with what is there."""
    return access.kind in ATOMIC and access.atomic not in ("exch", "cas")


def _is_shuffled(facts: RaceFacts, loads: Sequence[MemoryAccess]) -> bool:
    """Whether lanes give each other what they have loaded, or what they make of it."""
    return any(isinstance(each, WarpOperation) for each in forward_slice(loads, facts.users))


def _is_made_anyway(facts: RaceFacts, store: MemoryAccess) -> bool:
    """Whether neither sizes nor data decide where a store goes and who makes it."""
    deciding = backward_slice(store.address, *facts.flow.conditions(store.block))
    return not any(isinstance(each, MemoryAccess | Parameter | Unknown) for each in deciding)


def _made_for(
    launch: RaceLaunch, item: MemoryObject, read: MemoryAccess, watched: set[MemoryObject]
) -> Dimensions | None:
    """The block that writes all that is read of all arrays, and comes to a read: of a multiple of
    the threads in one direction, or of the array's own shape.
    """
    for shape in dict.fromkeys((*_larger(launch.launch.block), *_shaped(item))):
        fits = shape != launch.launch.block and prod(shape) <= _MOST
        if fits and _runs_whole(launch.with_block(shape), read, watched):
            return shape
    return None


def _larger(block: Dimensions) -> Iterator[Dimensions]:
    x, y, z = block
    for factor in (2, 4, 8):
        yield x * factor, y, z
        if y > 1:
            yield x, y * factor, z


def _shaped(item: MemoryObject) -> Iterator[Dimensions]:
    sizes = [size for size in item.extents if size]
    if sizes and len(sizes) == len(item.extents):
        x, y, *_ = (*reversed(sizes[-2:]), 1)
        yield x, y, 1
        yield prod(sizes), 1, 1


def _runs_whole(launch: RaceLaunch, read: MemoryAccess, watched: set[MemoryObject]) -> bool:
    seen = _run(launch, watched, whole=True)
    if seen is None or seen.lost or seen.unwritten():
        return False
    return seen.comes_to(read)


def _unwritten(launch: RaceLaunch, watched: set[MemoryObject]) -> dict[MemoryObject, _Read]:
    """For each array a read of what nobody writes, whatever the sizes are that the host chooses."""
    first = seen = _run(launch, watched) if watched else None
    found = {} if seen is None else seen.unwritten()
    for size in _LARGER:
        kept_out = set(found) & seen.kept_out if seen is not None else set()
        if not kept_out:
            break
        seen = _run(launch, kept_out, size)
        larger = {} if seen is None else seen.unwritten()
        found = {
            item: larger.get(item, read)
            for item, read in found.items()
            if item not in kept_out or item in larger
        }
    unused = set() if first is None else first.unused()
    whole = _run(launch, unused, _LARGER[-1]) if unused else None
    return found if whole is None else {**whole.unwritten(), **found}


def _run(
    launch: RaceLaunch, watched: set[MemoryObject], size: int = _SIZE, *, whole: bool = False
) -> _Watch | None:
    """One block, run to its end; None where it does not come to it, or shows nothing before: every
    array is written or lost, or one of them is where all are to be `whole`.
    """
    choices = numbered(launch.launch, size)
    if choices:
        launch = launch.with_numbers(choices[0].grid, choices[0].arguments)
    program = BlockProgram(launch)
    seen = _Watch(program, launch, watched, whole=whole)
    assumed = AssumedNumbers(program, launch, SizeScenario.EQUAL)
    outcome = BlockExecution(
        program, RunContext(launch, (0, 0, 0), assumed, limit=_WORK), seen
    ).run()
    if outcome.stopped:
        return None
    if outcome.cut:
        seen.forget_moving_stores()
    used = ((each.name, n) for each, n in assumed.used.items() if isinstance(each, Parameter))
    seen.sizes = tuple(dict([*(choices[0].chosen if choices else ()), *used]).items())
    return seen


class _Watch(Unordered):
    """Notes which bytes of arrays are written, and who reads which."""

    def __init__(
        self,
        program: BlockProgram,
        launch: RaceLaunch,
        watched: set[MemoryObject],
        *,
        whole: bool,
    ) -> None:
        self._program = program
        self._launch = launch
        self._whole = whole
        self._written = {item: bytearray(item.size or 0) for item in watched}
        self._reads: list[tuple[MemoryObject, MemoryAccess, int, int]] = []
        self.lost: set[MemoryObject] = set()  # an access is outside of the array, or anywhere
        self.kept_out: set[MemoryObject] = set()  # sizes keep threads from storing there
        self.sizes: Sizes = ()  # with which the block was run
        self._undefined = UndefinedValues(launch.facts, watched)

    def unwritten(self) -> dict[MemoryObject, _Read]:
        """For each array the first read of what nobody writes, if anything is made of such reads:
        by which thread, where, and with which sizes.
        """
        found: dict[MemoryObject, _Read] = {}
        for item, access, thread, offset in self._reads:
            if item in self._undefined.used and self._is_unwritten(item, offset):
                found.setdefault(item, (access, thread, offset, self.sizes))
        return found

    def unused(self) -> set[MemoryObject]:
        """The arrays of which what nobody writes is read, and nothing made with these sizes."""
        unwritten = {item for item, *_, offset in self._reads if self._is_unwritten(item, offset)}
        return unwritten - self._undefined.used

    def _is_unwritten(self, item: MemoryObject, offset: int) -> bool:
        return item not in self.lost and not self._written[item][offset]

    def _is_settled(self) -> bool:
        """Whether no access that comes can change what the run shows."""
        if self._whole:
            return bool(self.lost)
        known = (written for item, written in self._written.items() if item not in self.lost)
        return all(0 not in written for written in known)

    def comes_to(self, read: MemoryAccess) -> bool:
        """Whether any thread has made this read."""
        return any(access is read for _, access, _, _ in self._reads)

    def forget_moving_stores(self) -> None:
        """Iterations were left out, in which others than those that were seen may be written."""
        facts = self._launch.facts
        for access in facts.accesses:
            item = facts.points_to.object_of(access)
            moves = any(isinstance(each, Phi) for each in backward_slice(access.address))
            if access.kind is AccessKind.STORE and item in self._written and moves:
                assert item is not None
                self.lost.add(item)

    def access(self, event: AccessEvent) -> None:
        """Threads execute an access."""
        self._note(event)
        if self._is_settled():
            raise StopError("nothing that comes makes a difference")

    def _note(self, event: AccessEvent) -> None:
        item = self._launch.facts.points_to.object_of(event.access)
        access, count = event.access, self._launch.launch.threads
        undefined = self._undefined.stores(access, list(numbers(event.must | event.may, count)))
        if item not in self._written:
            return
        assert item is not None
        start, width = self._program.address(item), access.width or 0
        places = dict(enumerate(entries(event.addresses, count)))
        is_read = access.kind in _READS
        coming = numbers(event.must if is_read else event.must | event.may, count)
        certain = frozenset(numbers(event.must, count))
        trusted = not is_read or not self._program.depends_on_assumed(access.address)
        if not is_read and len(coming) < count and not _is_made_anyway(self._launch.facts, access):
            self.kept_out.add(item)
        if _is_update(access) and any(places[thread] is None for thread in coming):
            return  # it may count anywhere, and initialises nothing
        for thread in coming:
            address = places[thread]
            if address is None or not width or not trusted:
                self.lost.add(item)
                return
            offset = address - start
            if not 0 <= offset <= (item.size or 0) - width:
                self.lost.add(item)
                continue
            if is_read:
                written = bool(self._written[item][offset])
                self._undefined.loads(access, thread, offset, written=written)
                self._reads.append((item, access, thread, offset))
            else:
                self._written[item][offset : offset + width] = b"\1" * width
                if thread in undefined or thread in certain:
                    self._undefined.keep(item, offset, width, undefined=thread in undefined)
