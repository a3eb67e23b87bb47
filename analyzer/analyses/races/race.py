"""A race: two threads, what they touch, what the two accesses lack, and what speaks against it.

In and out: values only; `block_races.py` finds those of a block, `grid_races.py` those of two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.records import dataclass

if TYPE_CHECKING:
    from ...ir.values import Value
    from ..block_execution.access_events import Conflict
    from ..conflicts.race_kinds import RaceKind
    from ..dataflow.control_flow import Loop
    from ..doubts.question.candidates import BlockCandidate, GridCandidate
    from ..doubts.question.doubt import AnyDoubt
    from .block_races import BlockRaces


@dataclass(frozen=True, slots=True)
class Race:
    """Two threads of a block, or of two, and what nothing orders."""

    candidate: BlockCandidate | GridCandidate
    races: BlockRaces
    doubts: tuple[AnyDoubt, ...]  # the first one alone, unless all were asked for
    loop: Loop | None = None  # whose iterations the two accesses stand in

    @property
    def kind(self) -> RaceKind:
        """What the two accesses lack."""
        return self.candidate.kind

    @property
    def conflict(self) -> Conflict:
        """The two threads, and where they meet."""
        return self.candidate.conflict

    @property
    def assumed(self) -> tuple[tuple[Value, int], ...]:
        """The assumed numbers that addresses, guards and loops depend on."""
        return self._assumed(loops=True)

    @property
    def decisive(self) -> tuple[tuple[Value, int], ...]:
        """Those of them that more than a loop depends on."""
        return self._assumed(loops=False)

    @property
    def definite(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.doubts

    @property
    def benign(self) -> bool:
        """Whether it does no harm, as far as is known."""
        return any(doubt.is_benign for doubt in self.doubts)

    def _assumed(self, *, loops: bool) -> tuple[tuple[Value, int], ...]:
        candidate = self.candidate
        numbers = candidate.run.numbers
        return candidate.context.assumed_by(numbers, candidate.accesses, loops=loops)
