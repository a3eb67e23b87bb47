"""A race: two threads, what they touch, what the two accesses lack, and what speaks against it.

In and out: values only; `block_races.py` finds those of a block, `grid_races.py` those of two.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from ...ir.operations import Branch
from ...source.records import dataclass
from ..block_execution.assumed_numbers import SOLVED
from ..dataflow.paths import can_reach
from ..dataflow.slices import backward_slice
from ..pointers.provenance import reads_memory

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ...ir.operations import MemoryAccess
    from ...ir.values import Value
    from ..block_execution.access_events import Conflict, ThreadAccess
    from ..conflicts.race_kinds import RaceKind
    from ..dataflow.control_flow import Loop
    from ..doubts.question.candidates import BlockCandidate, GridCandidate
    from ..doubts.question.doubt import AnyDoubt
    from .block_races import BlockRaces


@dataclass(frozen=True, slots=True)
class Race:
    """A race: two threads, of one block or of two, whose accesses nothing orders."""

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
    def data(self) -> tuple[tuple[MemoryAccess, int], ...]:
        """The loads of which a number was assumed that addresses, guards and loops depend on, each
        with the one that it gave in the iterations of the accesses.
        """
        found: dict[MemoryAccess, int] = {}
        past = self._past_barriers()
        for (load, iterations), number in self.candidate.run.numbers.data.items():
            if self._depends_on(load, past) and self._is_met(load, iterations):
                found.setdefault(load, number)
        return tuple(found.items())

    @property
    def decided(self) -> tuple[tuple[Branch, bool], ...]:
        """The decisions on data that were assumed on the way to the accesses: true or false."""
        decided, flow = self.candidate.run.numbers.decided, self.races.program.flow
        blocks = {access.block for access in self.candidate.accesses}
        edges = {edge.branch for block in blocks for edge in flow.controlling_edges(block)}
        return tuple(
            (block.terminator, first)
            for block, first in decided.items()
            if block in edges and isinstance(block.terminator, Branch)
        )

    @property
    def presumed(self) -> tuple[tuple[Branch, bool, tuple[ThreadAccess, ...]], ...]:
        """The decisions on what a thread has loaded for itself, of threads that may not come to
        their accesses: true or false for those that come.
        """
        flow, plan = self.races.program.flow, self.races.program.plan
        found: dict[tuple[Branch, bool], list[ThreadAccess]] = {}
        for touch in (self.conflict.first, self.conflict.second):
            edges = () if touch.must else flow.controlling_edges(touch.access.block)
            for edge in edges:
                last, (condition, holds) = edge.branch.terminator, edge.condition or (None, False)
                known = edge.branch in self.candidate.run.numbers.decided
                if condition is None or known or edge.branch in plan.loop_tests:
                    continue
                if isinstance(last, Branch) and reads_memory(condition):
                    found.setdefault((last, holds), []).append(touch)
        # Where both ways lead there, as with `a || b`, no single one is meant.
        alone = {
            key: threads for key, threads in found.items() if (key[0], not key[1]) not in found
        }
        return tuple((branch, holds, tuple(each)) for (branch, holds), each in alone.items())

    @property
    def places(self) -> Hashable:
        """What tells it from others in all instances of a kernel: the lines at which the accesses
        stand, and those of the calls that they were inlined through.
        """
        accesses = ((each, each.location) for each in self.candidate.accesses)
        return frozenset(
            (access.kind, at.span.line, *(call.span.line for call in at.call_chain()))
            for access, at in accesses
        )

    @property
    def definite(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.doubts

    @property
    def benign(self) -> bool:
        """Whether it does no harm, as far as is known."""
        return any(doubt.is_benign for doubt in self.doubts)

    def _is_met(self, load: MemoryAccess, iterations: tuple[int, ...]) -> bool:
        """Whether a load of some iterations comes before an access in the loops around both."""
        nest = self._nest(load)
        for touch in (self.conflict.first, self.conflict.second):
            pairs = zip(nest, self._nest(touch.access), strict=False)
            shared = len(list(takewhile(lambda pair: pair[0] is pair[1], pairs)))
            if iterations[:shared] == touch.event.iterations[:shared]:
                return True
        return False

    def _nest(self, access: MemoryAccess) -> tuple[Loop, ...]:
        """The loops around an access, outermost first."""
        return self.races.program.flow.loop_nest(access.block)[::-1]

    def _depends_on(self, value: Value, past: frozenset[Value]) -> bool:
        context = self.candidate.context
        decides = any(value in context.decides(e, loops=True) for e in self.candidate.accesses)
        return decides or value in past

    def _assumed(self, *, loops: bool) -> tuple[tuple[Value, int], ...]:
        """Without the numbers in conditions on data: which way such a condition goes was chosen."""
        candidate = self.candidate
        numbers, past = candidate.run.numbers, self._past_barriers()
        chosen = frozenset(numbers.decided)
        known = candidate.context.assumed_by(
            numbers, candidate.accesses, loops=loops, chosen=chosen
        )
        others = (each for each in numbers.used.items() if each[0] in past)
        return (*known, *(each for each in others if each not in known))

    def _past_barriers(self) -> frozenset[Value]:
        """What led the block past the barriers between the two accesses, where that was asked."""
        if self.candidate.run.scenario not in SOLVED:
            return frozenset()
        program = self.races.program
        first, second = self.candidate.accesses
        ends = {edge.branch.terminator for edge in program.plan.passing}
        between = (
            end.operands[0]
            for end in ends
            if can_reach(program.flow, first, end) and can_reach(program.flow, end, second)
        )
        return frozenset(backward_slice(*between))
