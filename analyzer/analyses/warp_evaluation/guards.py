"""Which lanes of a warp execute a block: its guards, evaluated.

In: a block and a warp evaluator. Out: a mask over the 32 lanes, and the branches whose decision was
not known and was taken to let every lane through (bounds checks such as `i < n`). A block runs
where one of the edges it is control dependent on is taken by a lane that reaches the edge's branch.
A loop's test guards its body in the iteration the evaluator stands for. Lanes that left a loop in
an earlier iteration are known from `loop_iterations.py`; without it they count as still there, and
the ways out are among the assumed branches.
"""

from __future__ import annotations

from operator import and_, not_, or_, truth
from typing import TYPE_CHECKING

from ...ir.operations import Branch, Switch
from ...source.records import dataclass
from ..dataflow.control_flow import ControlEdge
from .iteration_spans import UndecidedError, depends_on_span
from .lane_values import WARP, LaneValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...ir.block import Block
    from ..dataflow.control_flow import Loop
    from .evaluator_context import EvaluatorContext
    from .warp_evaluator import WarpEvaluator

Mask = tuple[bool, ...]
_ALL: Mask = (True,) * WARP
_NONE: Mask = (False,) * WARP
_CHEAP = 64  # branches that are not known, joined in the time that one value takes
_MANY = 256  # of them: so many take memory, too
_CHEAP_EDGES = 4  # and the edges that a block depends on
_JOINED, _KEPT = 0.05, 1.5  # steps of the kernel's work for a branch that is joined, and kept


@dataclass(frozen=True, slots=True)
class Guarded:
    """The lanes of a warp that execute a block of code; `assumed` are the branches whose outcome is
    not known.
    """

    mask: Mask
    assumed: frozenset[Block] = frozenset()


class Guards:
    """Which lanes of one warp execute each block of code; results are kept.

    In an iteration of a loop, `lanes` are those still there, by loop header, and `before` has the
    masks of the blocks outside that loop: they are the same in all its iterations.
    """

    def __init__(
        self,
        shape: EvaluatorContext,
        evaluator: WarpEvaluator,
        lanes: Mapping[Block, Guarded] | None = None,
        before: Guards | None = None,
        loop: Loop | None = None,
    ) -> None:
        self._shape = shape
        self._flow = shape.flow
        self._evaluator = evaluator
        self._lanes = lanes or {}
        self._before = before
        self._inside = loop.blocks if loop is not None else frozenset()
        self._known: dict[Block, Guarded] = {}
        self._switches: dict[Switch, Mapping[int, tuple[Block, ...]] | None] = {}

    def of(self, wanted: Block) -> Guarded:
        """The lanes that run `wanted`."""
        found = self._known.get(wanted)
        if found is not None:
            return found
        # No `postorder`: of branches that decide about each other, the first asked goes without.
        stack: list[tuple[Block, bool]] = [(wanted, False)]
        on_way: set[Block] = set()
        while stack:
            block, ready = stack.pop()
            if block in self._known:
                continue
            if self._before is not None and block not in self._inside:
                self._known[block] = self._before.of(block)
                continue
            if ready:
                self._known[block] = self._settle(block)
                on_way.discard(block)
                continue
            on_way.add(block)
            stack.append((block, True))
            for edge in self._flow.forward_edges[block]:
                if edge.branch not in on_way and edge.branch not in self._known:
                    stack.append((edge.branch, False))
        return self._known[wanted]

    def _settle(self, block: Block) -> Guarded:
        edges = self._flow.forward_edges[block]
        exists = self._evaluator.exists
        if not edges:
            return self._still_there(block, Guarded(exists))
        values, steps = len(edges) // _CHEAP_EDGES, float(len(edges))
        mask = _NONE
        assumed: frozenset[Block] = frozenset()
        for edge in edges:
            reached = self._known.get(edge.branch, Guarded(exists))
            taken = self.taken(edge)
            if taken is None:
                assumed |= {edge.branch}
                taken = _ALL
            assumed = _joined(assumed, reached.assumed)
            many = len(assumed) > _MANY
            values += len(assumed) // (_CHEAP_EDGES if many else _CHEAP)
            steps += _JOINED * len(assumed)
            coming = reached.mask if taken is _ALL else tuple(map(and_, reached.mask, taken))
            mask = coming if mask is _NONE else tuple(map(or_, mask, coming))
        kept = self._shape.branches
        if assumed not in kept:
            steps += _KEPT * len(assumed)  # it takes memory
        self._shape.budget.spend(values, steps)
        assumed = kept.setdefault(assumed, assumed)
        return self._still_there(block, Guarded(mask, assumed))

    def _still_there(self, block: Block, guarded: Guarded) -> Guarded:
        """The lanes that have not left a loop around the block in an earlier iteration."""
        mask, assumed = guarded.mask, guarded.assumed
        for loop in self._flow.loop_nest(block):
            known = self._lanes.get(loop.header)
            if known is not None:
                mask = mask if all(known.mask) else tuple(map(and_, mask, known.mask))
                assumed = _joined(assumed, known.assumed)
            elif self._shape.uniformity.leaves_apart(loop) and not self._is_tested_first(loop):
                assumed = _joined(assumed, loop.leaving)
        return Guarded(mask, assumed)

    def _is_tested_first(self, loop: Loop) -> bool:
        """Whether the only way out is a test that the loop's body depends on in every iteration."""
        is_while = loop.exits == [loop.header] and loop.header not in loop.latches
        return is_while and not self._evaluator.has_numbers

    def sides(self, block: Block) -> tuple[Mask, Mask] | None:
        """The lanes that take either side of the branch at a block's end; None when not known."""
        last = block.terminator
        assert isinstance(last, Branch)
        then, otherwise = (self.taken(ControlEdge(block, to)) for to in (last.then, last.otherwise))
        if then is None or otherwise is None:
            return None
        here = self.of(block).mask
        return tuple(map(and_, here, then)), tuple(map(and_, here, otherwise))

    def taken(self, edge: ControlEdge) -> Mask | None:
        """The lanes that take an edge when they reach its branch; None when not known."""
        last = edge.branch.terminator
        if not isinstance(last, Branch | Switch):
            return _ALL
        decided = self._evaluator.value_in(edge.branch, last.operands[0])
        if not isinstance(decided, LaneValue):
            return None
        if not decided.is_number:
            if depends_on_span(decided):
                raise UndecidedError
            return None
        if isinstance(last, Branch):
            to_then = edge.target is last.then
            if all(decided.lanes):
                return _ALL if to_then else _NONE
            if not any(decided.lanes):
                return _NONE if to_then else _ALL
            return tuple(map(truth if to_then else not_, decided.lanes))
        targets = self._targets_of(last)
        if targets is None:
            return None
        here, default = edge.target, last.default
        return tuple(here in targets.get(lane, (default,)) for lane in decided.lanes)

    def _targets_of(self, switch: Switch) -> Mapping[int, tuple[Block, ...]] | None:
        """Where each number leads; None when a case is not known."""
        if switch not in self._switches:
            found: dict[int, tuple[Block, ...]] = {}
            for value, block in switch.cases:
                if value is not None:
                    found[value] = (*found.get(value, ()), block)
            known = all(value is not None for value, _ in switch.cases)
            self._switches[switch] = found if known else None
        return self._switches[switch]


def _joined(first: frozenset[Block], second: frozenset[Block]) -> frozenset[Block]:
    """Both sets; one of them where it holds the other, so that blocks in a row share it."""
    if first is second or second <= first:
        return first
    return second if first <= second else first | second
