"""Whether a race of a block that is a guess shows up in smaller blocks, too.

In: the races of a launch whose block nobody states. Out: for a conflict, or an access beyond the
end of an array, whether every smaller block that the kernel may be made for has it as well: the
block halved down to one warp, and the block that ends before the later of the two threads (of 136
threads, where thread 136 collides with thread 0). A block may be the kernel's own where it reads no
more of the shared array than it writes, unless it leaves parts of one that the most threads that
the kernel allows fill: sums of eight warps are for eight warps.
Not handled: blocks of several rows whose rows are not powers of two.
"""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import Barrier
from ...ir.values import whole_number
from ..block_execution.assumed_numbers import (
    CHOSEN_DATA,
    OTHER_BLOCKS,
    SOLVED,
    SizeScenario,
)
from ..block_shape.block_inference import smaller_shapes, use_of
from ..block_shape.named_threads import last_named
from ..block_shape.several_warps import is_for_several_warps
from ..warp_evaluation.lane_values import WARP

if TYPE_CHECKING:
    from ...ir.kernel import Dimensions
    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess
    from ..block_execution.access_events import Conflict
    from .block_conflicts import BlockConflicts
    from .block_runs import BlockRun, BlockRuns
    from .facts import ConflictFacts, ConflictLaunch
    from .race_context import RaceContext

    _Pair = tuple[MemoryAccess, MemoryAccess]

_STEP = 8  # threads: blocks that are no multiple of it are nobody's choice
_TRIED = 1  # blocks that end before the later thread of a conflict: each costs a run


#: What decides if the accesses of an array are executed at all.
_LEADING = frozenset({*SOLVED, *CHOSEN_DATA, *OTHER_BLOCKS})
_OWN_RUNS = frozenset({SizeScenario.SMALL, SizeScenario.FALLING}) | _LEADING


class BlockShrinking:
    """The blocks smaller than that of one launch, each run for conflicts when it is asked for."""

    def __init__(self, races: RaceContext) -> None:
        self._races = races
        self._exact: dict[tuple[int, SizeScenario], BlockConflicts] = {}
        self._suiting: dict[tuple[Dimensions, MemoryObject, SizeScenario], bool] = {}
        self._made_for: dict[MemoryObject, bool] = {}
        self._seen: dict[tuple[int, SizeScenario], BlockConflicts] = {}  # by the halved block

    def show(self, run: BlockRun, conflict: Conflict) -> bool:
        """Whether no smaller block that the kernel may be made for does without the conflict."""
        key = conflict.accesses
        launch, small = self._races.launch, run.scenario is SizeScenario.SMALL
        computed = launch.launch.unsettled and launch.facts.kernel.launches
        if small and computed and self._races.assumed_by(run.numbers, key, loops=False):
            return False  # the host computes the block, and perhaps from these sizes
        shared = conflict.item.space is Space.SHARED
        alike = key in run.seen.equal
        for at, (smaller, seen) in enumerate(self._all(like(run.scenario))):
            if shows(seen, conflict, alike=alike) or self._is_too_small(smaller, key):
                continue
            if self._shows_in(run.scenario, at, conflict, alike=alike):
                continue
            if not shared or self._suits(smaller, conflict.item, run.scenario):
                return False
        threads = max(conflict.first.thread, conflict.second.thread)
        if not shared or not self._may_be_all(threads):
            return True
        last = self._up_to(threads, run.scenario)
        return last is not None and shows(last, conflict, alike=alike)

    def _shows_in(
        self, scenario: SizeScenario, at: int, conflict: Conflict, *, alike: bool
    ) -> bool:
        """Whether a smaller block shows a conflict with just the sizes that showed it first."""
        again = like(scenario) is not scenario
        return again and shows(self._in_halved(at, scenario), conflict, alike=alike)

    def _is_too_small(self, smaller: ConflictLaunch, key: _Pair) -> bool:
        """Whether a block is a single warp, and the kernel is made for several; or lanes of one
        warp are not looked at, as where an index is not known (`unplaced_accesses.py`).
        """
        if smaller.launch.threads > WARP:
            return False
        return self._is_for_several_warps or not self._races.runs.tracked.unplaced.isdisjoint(key)

    @cached_property
    def _is_for_several_warps(self) -> bool:
        return is_for_several_warps(self._races.launch.facts)

    def leave(self, scenario: SizeScenario, access: MemoryAccess, item: MemoryObject) -> bool:
        """Whether an access leaves its array in all smaller blocks that the array may be made for,
        as it does in a run.
        """
        return all(
            access in seen.outside or not self._suits(smaller, item, scenario)
            for smaller, seen in self._all(like(scenario))
        )

    def _may_be_all(self, threads: int) -> bool:
        """Whether somebody may launch that many, and they have not been tried among the halves."""
        row = self._races.launch.launch.block[1:] == (1, 1)
        return row and threads > WARP and threads % _STEP == 0 and threads & (threads - 1) != 0

    def _up_to(self, threads: int, scenario: SizeScenario) -> BlockConflicts | None:
        """What a block of so many threads does; None where enough of them were tried."""
        if (threads, scenario) not in self._exact:
            if len(self._exact) == _TRIED:
                return None
            self._exact[threads, scenario] = self._of((threads, 1, 1)).again(scenario).seen
        return self._exact[threads, scenario]

    def _suits(self, smaller: ConflictLaunch, item: MemoryObject, scenario: SizeScenario) -> bool:
        data = scenario if scenario in _LEADING else SizeScenario.EQUAL
        key = (smaller.launch.block, item, data)
        if key not in self._suiting:
            use = use_of(smaller, item, data, self._races.runs.index(data))
            self._suiting[key] = use.suits and (use.is_full or not self._is_made_for(item))
        return self._suiting[key]

    def _is_made_for(self, item: MemoryObject) -> bool:
        """Whether an array has as many elements as the most threads that there may be write."""
        launch = self._races.launch
        if item not in self._made_for:
            self._made_for[item] = launch.launch.is_bound and use_of(launch, item).is_full
        return self._made_for[item]

    def _all(self, scenario: SizeScenario) -> list[tuple[ConflictLaunch, BlockConflicts]]:
        """What the halved blocks do: with large sizes, or with small ones."""
        return [
            (each.launch, self._in_halved(at, scenario)) for at, each in enumerate(self._halved)
        ]

    def _in_halved(self, at: int, scenario: SizeScenario) -> BlockConflicts:
        """What one of the halved blocks does."""
        if (at, scenario) not in self._seen:
            self._seen[at, scenario] = self._halved[at].again(scenario).seen
        return self._seen[at, scenario]

    @cached_property
    def _halved(self) -> list[BlockRuns]:
        launch = self._races.launch
        least = max(_meeting(launch.facts), last_named(launch.facts) + 1)
        shapes = smaller_shapes(launch.launch.block)
        return [self._of(shape) for shape in shapes if prod(shape) >= least]

    def _of(self, shape: Dimensions) -> BlockRuns:
        from .block_runs import BlockRuns

        return BlockRuns(self._races.launch.with_block(shape), self._races.runs)


def like(scenario: SizeScenario) -> SizeScenario:
    """The scenario in which a smaller block is run for conflicts: one that differs in sizes alone
    is run once.
    """
    return scenario if scenario in _OWN_RUNS else SizeScenario.EQUAL


def _meeting(facts: ConflictFacts) -> int:
    """The most threads that a barrier with a number is for: a smaller block never gets past it."""
    counts = (each.count for each in facts.every(Barrier) if each.count is not None)
    return max((whole_number(each) or 0 for each in counts), default=0)


def shows(seen: BlockConflicts, conflict: Conflict, *, alike: bool) -> bool:
    """Whether the conflict of two accesses shows in another run, too, writing the same or not: in
    either order, but not only as the later access comes again in a loop's next iteration.
    """
    found, pair = seen.equal if alike else seen.found, conflict.accesses
    turned = found.get(pair[::-1])
    return pair in found or (turned is not None and _in_one(turned) is _in_one(conflict))


def _in_one(conflict: Conflict) -> bool:
    """Whether two threads meet in one iteration of all loops."""
    return conflict.first.event.iterations == conflict.second.event.iterations
