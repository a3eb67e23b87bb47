"""Whether a race of a block whose rows nobody states shows up in every block that people launch.

In: the races of a launch whose shape is an example. Out: for a conflict, whether all usual shapes
(`launch/usual_blocks.py`) have it as well, and a block of one row, which a kernel that asks for
threadIdx.y is launched with too. Each is run when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..launch.assumed_launch import DEFAULT_BLOCK
from ..launch.usual_blocks import usual_blocks
from .block_shrinking import like, shows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.kernel import Dimensions
    from ..block_execution.access_events import Conflict
    from ..block_execution.assumed_numbers import SizeScenario
    from .block_conflicts import BlockConflicts
    from .block_runs import BlockRun, BlockRuns
    from .race_context import RaceContext


class UsualShapes:
    """The blocks in which people usually launch a kernel, each run for the conflict of a block that
    is an example.
    """

    def __init__(self, races: RaceContext) -> None:
        self._races = races
        self._runs: dict[Dimensions, BlockRuns] = {}
        self._seen: dict[tuple[Dimensions, SizeScenario], BlockConflicts] = {}

    def show(self, run: BlockRun, conflict: Conflict) -> bool:
        """Whether every usual block has the conflict of a run."""
        alike = conflict.accesses in run.seen.equal
        return all(shows(seen, conflict, alike=alike) for seen in self._all(like(run.scenario)))

    def _all(self, scenario: SizeScenario) -> Iterator[BlockConflicts]:
        """What the usual blocks do, one after the other."""
        from .block_runs import BlockRuns

        launch = self._races.launch
        bound = launch.facts.kernel.bounds.max_threads
        for shape in (DEFAULT_BLOCK, *usual_blocks(launch.facts.registers, bound)):
            if (shape, scenario) not in self._seen:
                if shape not in self._runs:
                    self._runs[shape] = BlockRuns(launch.with_block(shape), self._races.runs)
                self._seen[shape, scenario] = self._runs[shape].again(scenario).seen
            yield self._seen[shape, scenario]
