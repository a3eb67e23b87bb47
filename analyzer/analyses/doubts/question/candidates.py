"""What is judged: two threads in conflict, with the run that shows them.

In: the context of a launch, a run, a conflict of it and what it lacks. Out: what every doubt may
ask: the two accesses, the facts, the launch, and the indices that tell the two threads apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....source.records import dataclass
from ...block_execution.launch_values import BLOCK_INDEX
from ...warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from ....ir.operations import MemoryAccess
    from ....ir.values import Special
    from ...block_execution.access_events import Conflict, ThreadAccess
    from ...conflicts.block_runs import BlockRun
    from ...conflicts.facts import ConflictFacts, ConflictLaunch
    from ...conflicts.grid_runs import GridRun, GridRuns
    from ...conflicts.race_context import RaceContext
    from ...conflicts.race_kinds import RaceKind
    from ...launch.assumed_launch import AssumedLaunch


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a doubt is asked about: two threads in conflict."""

    context: RaceContext
    conflict: Conflict
    kind: RaceKind

    @property
    def first(self) -> ThreadAccess:
        """The earlier access and its thread."""
        return self.conflict.first

    @property
    def second(self) -> ThreadAccess:
        """The later access and its thread."""
        return self.conflict.second

    @property
    def accesses(self) -> tuple[MemoryAccess, MemoryAccess]:
        """The two accesses, the earlier one first."""
        return self.conflict.accesses

    @property
    def facts(self) -> ConflictFacts:
        """The kernel."""
        return self.context.launch.facts

    @property
    def judged_for(self) -> ConflictLaunch:
        """The launch with its facts."""
        return self.context.launch

    @property
    def launch(self) -> AssumedLaunch:
        """The block and the grid."""
        return self.context.launch.launch

    def index_of(self, touch: ThreadAccess) -> dict[Special, int]:
        """What tells a thread from the others."""
        return self.context.index_of(touch)


@dataclass(frozen=True, slots=True)
class BlockCandidate(Candidate):
    """What a doubt is asked about: two threads of one block in conflict."""

    run: BlockRun

    @property
    def level(self) -> Uniformity:
        """Whose threads may be the two."""
        return Uniformity.BLOCK

    @property
    def leaves_arrays(self) -> bool:
        """Whether a thread leaves an array in the run, for a block or sizes that are assumed."""
        return self.context.leaves_arrays(self.run, self.accesses)


@dataclass(frozen=True, slots=True)
class GridCandidate(Candidate):
    """What a doubt is asked about: two threads of different blocks in conflict."""

    run: GridRun
    grid: GridRuns

    @property
    def level(self) -> Uniformity:
        """Whose threads may be the two."""
        return Uniformity.GRID

    @property
    def leaves_arrays(self) -> bool:
        """Whether a thread leaves an array in this run, or in those of a block for a block or sizes
        that are assumed.
        """
        runs = self.context.runs.scenarios
        return self.run.left_arrays or any(map(self.context.leaves_arrays, runs))

    def index_of(self, touch: ThreadAccess) -> dict[Special, int]:
        """What tells a thread from the others, of its block and of others."""
        assert touch.block is not None
        return {**self.context.index_of(touch), **dict(zip(BLOCK_INDEX, touch.block, strict=True))}


#: What is judged in either case.
AnyCandidate = BlockCandidate | GridCandidate
