"""Whether a race of a block that is a guess shows up in smaller blocks, too.

In: the races of a launch whose block nobody states. Out: for a conflict, whether every smaller
block that the kernel may be made for has it as well: the block halved down to one warp, and the
block that ends before the later of the two threads (of 136 threads, where thread 136 collides with
thread 0). A block may be the kernel's own where it reads no more of the shared array than it
writes. Not handled: blocks of several rows whose rows are not powers of two.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from ..ir.memory import Space
from .assumed_numbers import Course
from .block_inference import smaller_shapes, suits
from .lane_values import WARP

if TYPE_CHECKING:
    from ..ir.kernel import Dimensions
    from ..ir.memory import MemoryObject
    from .conflicts import Conflict, Conflicts
    from .facts import LaunchFacts
    from .races import BlockRaces, BlockRun


class SmallerBlocks:
    """The blocks smaller than that of one launch, each run when it is asked for."""

    def __init__(self, races: BlockRaces) -> None:
        self._races = races
        self._exact: dict[int, BlockRaces] = {}
        self._suiting: dict[tuple[Dimensions, MemoryObject], bool] = {}
        self._seen: dict[Course, tuple[tuple[LaunchFacts, Conflicts], ...]] = {}

    def show(self, run: BlockRun, conflict: Conflict) -> bool:
        """Whether no smaller block that the kernel may be made for does without the conflict."""
        key = (conflict.first.access, conflict.second.access)
        launch, small = self._races.launch, run.course is Course.SMALL
        computed = launch.launch.guessed and launch.facts.kernel.launches
        if small and computed and self._races.assumed_by(run.numbers, key, loops=False):
            return False  # the host computes the block, and perhaps from these sizes
        shared = conflict.item.space is Space.SHARED
        for smaller, found in self._all(Course.SMALL if small else Course.EQUAL):
            if key in found or key[::-1] in found:
                continue
            if not shared or self._suits(smaller, conflict.item):
                return False
        exact = self._block_without(conflict) if shared else None
        if exact is None:
            return True
        found = exact.run_again(run.course).seen.found
        return key in found or key[::-1] in found

    def _block_without(self, conflict: Conflict) -> BlockRaces | None:
        """The block up to the later thread of a conflict; None where it has been tried."""
        launch = self._races.launch.launch
        threads = max(conflict.first.thread, conflict.second.thread)
        if threads < WARP or threads & (threads - 1) == 0 or launch.block[1:] != (1, 1):
            return None
        if threads not in self._exact:
            self._exact[threads] = self._of((threads, 1, 1))
        return self._exact[threads]

    def _suits(self, smaller: LaunchFacts, item: MemoryObject) -> bool:
        key = (smaller.launch.block, item)
        if key not in self._suiting:
            self._suiting[key] = suits(smaller, item)
        return self._suiting[key]

    def _all(self, course: Course) -> tuple[tuple[LaunchFacts, Conflicts], ...]:
        """What the halved blocks do: with large sizes, or with small ones."""
        if course not in self._seen:
            self._seen[course] = tuple(
                (each.launch, each.run_again(course).seen.found) for each in self._halved
            )
        return self._seen[course]

    @cached_property
    def _halved(self) -> list[BlockRaces]:
        return [self._of(shape) for shape in smaller_shapes(self._races.launch.launch.block)]

    def _of(self, shape: Dimensions) -> BlockRaces:
        from .facts import LaunchFacts
        from .races import BlockRaces

        launch = self._races.launch
        changed = LaunchFacts(launch.facts, replace(launch.launch, block=shape))
        return BlockRaces(changed, self._races)
