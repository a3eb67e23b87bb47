"""Which threads of a block use the same elements: what staging in shared memory saves, or does not.

In: one launch of a kernel; one block of it is run (`execution.py`) with the numbers that
races are looked for with. Out:

- the shared arrays whose every element is read by the thread alone that stored it, whatever
  data says
- for the loads of a loop, how many times the threads of the block load each element of an object
- for each shared array, how often what is stored in an element is loaded, by how many threads

Nothing is said of an object that some access may touch at an unknown place, or that the run did not
come to. Loops of unknown length are run for a few iterations: the reuse found is a lower bound.
Not handled: reuse between blocks, and by one thread of what it loaded before (registers do that).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import (
    AccessKind,
    Barrier,
    Branch,
    Call,
    Convert,
    MemoryAccess,
    OpaqueOperation,
    Opcode,
    Operation,
    Phi,
)
from ...ir.values import Constant
from ...source.records import dataclass
from ..block_execution.assumed_numbers import OTHER_BLOCKS, AssumedNumbers, SizeScenario
from ..block_execution.block_program import BlockProgram
from ..block_execution.execution import BlockExecution
from ..block_execution.run_context import RunContext, Unordered
from ..block_execution.thread_vectors import entries, flags
from ..block_shape.other_blocks import FIRST, other_block, placing_axes
from ..dataflow.reachability import reachable
from ..dataflow.slices import backward_slice
from ..warp_evaluation.lane_values import WARP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...ir.kernel import Dimensions
    from ...ir.memory import MemoryObject
    from ...ir.values import Value
    from ..block_execution.run_context import AccessEvent
    from ..dataflow.control_flow import Loop
    from .facts import TrafficLaunch

_WHOLE = 8_000_000  # where the length of a loop over a tile matters: for a view, not for a check
SECOND = (1, 0, 0)  # block of a grid
WORK = 400_000  # values of single threads that a run may compute


@dataclass(slots=True)
class Watched(Unordered):
    """The accesses of a run of a block by which reuse of elements is counted."""

    wanted: frozenset[MemoryAccess]
    events: list[AccessEvent] = field(default_factory=list)
    barriers: list[Operation] = field(default_factory=list)

    def access(self, event: AccessEvent) -> None:
        """Keeps it if it was asked for."""
        if event.access in self.wanted:
            self.events.append(event)

    def block_barrier(self, barrier: Operation) -> None:
        """Keeps it, each once."""
        if isinstance(barrier, Barrier) and barrier not in self.barriers:
            self.barriers.append(barrier)


def watch(
    launch: TrafficLaunch,
    accesses: frozenset[MemoryAccess],
    scenario: SizeScenario,
    work: int = WORK,
    block: Dimensions = FIRST,
) -> Watched | None:
    """One run of a block, the first one as a rule, to count which threads use the same elements;
    None where it stopped early or did not come to an access.
    """
    program = BlockProgram(launch)
    context = RunContext(launch, block, AssumedNumbers(program, launch, scenario), limit=work)
    seen = Watched(accesses)
    outcome = BlockExecution(program, context, seen).run()
    if outcome.stopped or accesses - {event.access for event in seen.events}:
        return None
    return seen


def places(event: AccessEvent, count: int) -> Iterator[tuple[int, int | None]]:
    """Each thread at an access whose reuse is counted, and the address it uses."""
    here = flags(event.must | event.may, count)
    for thread, (present, address) in enumerate(
        zip(here, entries(event.addresses, count), strict=False)
    ):
        if present:
            yield thread, address


# ---- staging that nobody shares ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OwnElements:
    """A shared array staged for nobody else: each thread stores and reads its own
    elements alone.
    """

    item: MemoryObject
    store: MemoryAccess
    load: MemoryAccess
    barriers: tuple[Operation, ...]  # that the block met at, in the order of the run


def own_elements(launch: TrafficLaunch) -> Iterator[OwnElements]:
    """The shared arrays of a kernel that stage data for nobody else than the storing thread: in the
    first block, and in others that go elsewhere in them.
    """
    staged = _all_staged(launch)
    if not staged:
        return
    wanted = frozenset(access for accesses in staged.values() for access in accesses)
    seen = watch(launch, wanted, SizeScenario.EQUAL)
    if seen is None or not seen.barriers:
        return
    blocks = [seen, *_in_other_blocks(launch, wanted)]
    for item, accesses in staged.items():
        if all(_each_its_own(each, accesses, launch.launch.threads) for each in blocks):
            store = next(access for access in accesses if access.writes)
            load = next(access for access in accesses if not access.writes)
            yield OwnElements(item, store, load, tuple(seen.barriers))


def _all_staged(launch: TrafficLaunch) -> dict[MemoryObject, list[MemoryAccess]]:
    """The shared arrays that only take what was loaded, each with the accesses to it."""
    facts = launch.facts
    points_to = facts.points_to
    arrays = [item for item in facts.kernel.objects if item.space is Space.SHARED]
    if not arrays or any(isinstance(each, OpaqueOperation) for each in facts.kernel.operations()):
        return {}
    unfit: set[MemoryObject | None] = set()
    for operation in facts.kernel.operations():
        if isinstance(operation, Call):
            unfit.update(*map(points_to.of, operation.operands))
    found: dict[MemoryObject, list[MemoryAccess]] = {item: [] for item in arrays}
    for access in facts.accesses:
        targets = points_to.of(access.address)
        plain = access.kind in (AccessKind.LOAD, AccessKind.STORE) and not access.volatile
        if None in targets and not points_to.spaces(access) & {Space.SHARED, Space.GENERIC}:
            targets = targets - {None}
        if len(targets) != 1 or not plain or not access.width:
            unfit |= targets
            continue
        for item in found if None in targets else filter(None, targets):
            if item in found:
                found[item].append(access)
    if None in unfit:
        return {}  # it may be any of them
    return {
        item: accesses
        for item, accesses in found.items()
        if item not in unfit and _stages(launch, accesses) and not _led_by_data(launch, accesses)
    }


def _led_by_data(launch: TrafficLaunch, found: list[MemoryAccess]) -> bool:
    """Whether what is loaded decides which elements are used, or how often: one run shows no more
    than what the numbers do that stand for it.
    """
    loops, blocks = launch.facts.flow.loops, {access.block for access in found}
    around = [loop for loop in loops if not blocks.isdisjoint(loop.blocks)]
    ends = [each.terminator for loop in around for each in loop.exits]
    tested = [end.condition for end in ends if isinstance(end, Branch)]
    deciding = backward_slice(*tested, *(access.address for access in found))
    return any(isinstance(each, MemoryAccess) for each in deciding)


def _stages(launch: TrafficLaunch, found: list[MemoryAccess]) -> bool:
    """Whether what is stored was loaded, and is loaded again as it was stored."""
    facts = launch.facts
    stores = [access for access in found if access.writes]
    copies = all(_is_loaded(facts.points_to.spaces, store.operands[1]) for store in stores)
    widths = {access.width for access in found}
    both = stores and len(stores) < len(found)
    return bool(both and copies and len(widths) == 1)


def _is_loaded(spaces: Callable[[MemoryAccess], frozenset[Space]], value: Value) -> bool:
    """Whether a value was loaded, perhaps converted, or is a constant where nothing was."""

    def one_of(each: Value) -> Sequence[Value]:
        """The values that it may be."""
        if isinstance(each, Convert | Phi):
            return each.operands
        selects = isinstance(each, Operation) and each.opcode is Opcode.SELECT
        return each.operands[1:] if selects else ()

    ends = [each for each in reachable([value], one_of) if not one_of(each)]
    loads = [each for each in ends if not isinstance(each, Constant)]
    return bool(loads) and all(
        isinstance(each, MemoryAccess) and spaces(each) == {Space.GLOBAL} for each in loads
    )


def _in_other_blocks(
    launch: TrafficLaunch, wanted: frozenset[MemoryAccess]
) -> Iterator[Watched | None]:
    """Runs of the blocks that go to other places in shared memory than the first one."""
    axes = placing_axes(launch.facts, wanted)
    grid = launch.launch.grid
    places = {other_block(grid, axes, scenario): scenario for scenario in OTHER_BLOCKS}
    for index, scenario in places.items():
        if index != FIRST:
            yield watch(launch, wanted, scenario, block=index)


def _each_its_own(seen: Watched | None, accesses: list[MemoryAccess], count: int) -> bool:
    """Whether every place belongs to one thread, and every thread has a single place, as far as a
    run shows that.
    """
    owner: dict[int, int] = {}
    place: dict[int, int] = {}
    if seen is None:
        return False
    for event in (each for each in seen.events if each.access in accesses):
        for thread, address in places(event, count):
            if address is None or place.setdefault(thread, address) != address:
                return False
            if not event.access.writes and address not in owner:
                return False
            if owner.setdefault(address, thread) != thread:
                return False
    return True


# ---- what is staged, and how often it is used ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class SharedReuse:
    """How often a block reuses elements of a shared array: means over what is first stored in each,
    as later iterations of a loop may be left out of the run.
    """

    item: MemoryObject
    loads: float  # of each stored element until it is stored again
    threads: float  # that load it


def shared_reuse(launch: TrafficLaunch) -> tuple[SharedReuse, ...]:
    """How a block reuses each shared array of which a run of the block shows every access."""
    points_to = launch.facts.points_to
    accesses: dict[MemoryObject, set[MemoryAccess]] = {}
    for access in launch.facts.accesses:
        if Space.SHARED in points_to.spaces(access):
            item = points_to.object_of(access)
            if item is None or access.kind not in (AccessKind.LOAD, AccessKind.STORE):
                return ()
            accesses.setdefault(item, set()).add(access)
    if not accesses:
        return ()
    seen = watch(launch, frozenset().union(*accesses.values()), SizeScenario.EQUAL, _WHOLE)
    if seen is None:
        return ()
    count = launch.launch.threads
    found = (
        _reuse(item, [event for event in seen.events if event.access in own], count)
        for item, own in accesses.items()
    )
    return tuple(each for each in found if each is not None)


def _reuse(item: MemoryObject, events: list[AccessEvent], count: int) -> SharedReuse | None:
    loaded_by: dict[int, list[int]] = {}  # the threads, by the address
    stored_again: set[int] = set()
    for event in events:
        for thread, address in places(event, count):
            if address is None:
                return None
            if event.access.writes and address in loaded_by:
                stored_again.add(address)
            elif event.access.writes:
                loaded_by[address] = []
            elif address in loaded_by and address not in stored_again:
                loaded_by[address].append(thread)
    loads = sum(map(len, loaded_by.values()))
    readers = sum(len(set(threads)) for threads in loaded_by.values())
    stored = len(loaded_by)
    return SharedReuse(item, loads / stored, readers / stored) if loads else None


# ---- elements that several threads load ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sharing:
    """How many threads of a block load the same elements of an object in a loop."""

    item: MemoryObject
    loads: tuple[MemoryAccess, ...]
    uses: int  # pairs of a thread and an element
    elements: int  # that differ
    uniform: bool  # all lanes of a warp load the same one
    at_once: float  # threads that load the same one in the same iteration
    even: bool = True  # each element is loaded by as many threads

    @property
    def factor(self) -> float:
        """How many threads load each element."""
        return self.uses / self.elements


@dataclass(frozen=True, slots=True)
class LoopTraffic:
    """What a loop loads from global memory, in one block and a few iterations, and could stage in
    shared memory.
    """

    sharings: tuple[Sharing, ...]
    others: int  # accesses to what is written too

    @property
    def now(self) -> int:
        """Accesses by single threads."""
        return self.others + sum(each.uses for each in self.sharings)

    @property
    def staged(self) -> int:
        """Accesses when each element is loaded once for the block."""
        return self.others + sum(each.elements for each in self.sharings)

    @property
    def saved(self) -> float:
        """How many accesses there are for each one that is left."""
        return self.now / self.staged


def loop_traffic(launch: TrafficLaunch, loop: Loop) -> LoopTraffic | None:
    """Which threads of a block load what from global memory in a loop; None where that is not
    known. In the first block two tiles of a matrix may be one, on its diagonal, which the second
    block shows apart: the one counts that shares less.
    """
    found = _loop_traffic(launch, loop, FIRST)
    if found is None or launch.launch.grid[0] == 1:
        return found
    other = _loop_traffic(launch, loop, SECOND)
    return found if other is None or other.saved >= found.saved else other


def _loop_traffic(launch: TrafficLaunch, loop: Loop, block: Dimensions) -> LoopTraffic | None:
    points_to = launch.facts.points_to
    inside = [
        access
        for access in launch.facts.accesses
        if access.block in loop.blocks and points_to.spaces(access) == {Space.GLOBAL}
    ]
    written = {
        item for each in launch.facts.accesses if each.writes for item in points_to.of(each.address)
    }
    if not inside or None in written:
        return None
    seen = watch(launch, frozenset(inside), SizeScenario.EQUAL, block=block)
    if seen is None:
        return None
    by_item: dict[MemoryObject, list[AccessEvent]] = {}
    others = 0
    count = launch.launch.threads
    for event in seen.events:
        item = points_to.object_of(event.access)
        if item is None:
            return None
        if item in written or event.access.writes:
            others += sum(1 for _ in places(event, count))
        else:
            by_item.setdefault(item, []).append(event)
    sharings = [_sharing(item, events, count) for item, events in by_item.items()]
    known = tuple(each for each in sharings if each is not None)
    return LoopTraffic(known, others) if len(known) == len(sharings) else None


def _sharing(item: MemoryObject, events: list[AccessEvent], count: int) -> Sharing | None:
    uses, uniform = set[tuple[int, int]](), True
    loaded = at_once = 0
    for event in events:
        lanes: dict[int, int] = {}
        here: list[int] = []
        for thread, address in places(event, count):
            if address is None:
                return None
            uses.add((thread, address))
            uniform = uniform and lanes.setdefault(thread // WARP, address) == address
            here.append(address)
        loaded += len(here)
        at_once += len(set(here))
    loads = tuple(dict.fromkeys(event.access for event in events))
    users = Counter(address for _, address in uses)
    even = len(set(users.values())) == 1
    return Sharing(item, loads, len(uses), len(users), uniform, loaded / at_once, even)
