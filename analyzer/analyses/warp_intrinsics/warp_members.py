"""Warp operations whose member mask and lanes do not fit together.

In: a kernel's facts. Out: for each shuffle, vote, match, reduction and `__syncwarp` at most one
`Mismatch`: a width that is none, a lane that is not in its own mask, a lane that the mask names and
that goes another way, a source that does not take part. Each is shown for one warp, whose lanes are
evaluated; sizes that the launch does not say get example numbers.

Follows the PTX ISA, 9.7.9.6 (`shfl.sync`) and 9.7.13.2 (`bar.warp.sync`): a lane waits until all
lanes of the mask that have not left the kernel execute the same operation with the same mask; its
own lane must be in the mask; what it reads from a lane that is not there is undefined. Lanes that
meet nobody until the kernel ends count only where the thread index alone sends them on: after a
`return`, and in PTX, which does not tell that from the end of the kernel, they count as gone.
A shuffle at the edge of what takes part, whose reader throws the value away, is usual: a source is
reported only where every lane reads from lanes that are not there. A mask is also known when the
whole warp has voted for it on what is known of each lane (`__ballot_sync(0xffffffff, lane < 16)`).
Not handled: other votes, and groups other than tiles.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ...ir.operation_kinds import SHUFFLES, WarpKind
from ...ir.operations import (
    WHOLE,
    Barrier,
    BarrierKind,
    Compare,
    Convert,
    Exit,
    Return,
    WarpOperation,
)
from ...ir.values import Undeclared, whole_number
from ..dataflow.block_sets import reached
from ..dataflow.slices import backward_slice
from ..doubts.masks.candidates import MaskCandidate
from ..doubts.question.doubt import doubts_of
from ..warp_evaluation.example_numbers import examples, launched_examples
from ..warp_evaluation.lane_values import WARP, LaneValue, constant
from ..warp_evaluation.shuffle_sources import control_of, source_lane
from ..warp_evaluation.uniformity import Uniformity
from .mismatches import ALL, Member, Mismatch, MismatchKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.values import Value
    from ..barriers.facts import BarrierFacts, BarrierLaunch
    from ..dataflow.control_flow import ControlEdge, ControlFlow
    from ..warp_evaluation.example_numbers import Example
    from ..warp_evaluation.guards import Guards
    from ..warp_evaluation.warp_evaluator import WarpEvaluator

WORK = 100_000  # values of a warp that one kernel may cost here
_WIDTHS = frozenset({1, 2, 4, 8, 16, 32})
_SEGMENTS = frozenset({0, 16, 24, 28, 30, 31})
_MEETING = WHOLE | {BarrierKind.WARP}


def mismatches(facts: BarrierFacts) -> Iterator[Mismatch]:
    """The warp operations whose member mask and lanes do not fit, in program order; a decision that
    parts lanes is told once.
    """
    told: set[Block] = set()
    floor = facts.budget.left - WORK
    for operation in facts.kernel.operations():
        mask = member_mask(operation)
        if mask is None or not isinstance(operation, WarpOperation | Barrier):
            continue
        if any(isinstance(each, Undeclared) for each in backward_slice(mask)):
            continue  # what a macro stands for that is not defined here
        width = _wrong_width(facts, operation)
        if width is not None:
            yield Mismatch(MismatchKind.WIDTH, operation, width)
            continue
        if (whole_number(mask) or 0) & ALL == ALL and is_by_whole_warp(facts, operation):
            continue  # all are named, and all come
        edges = facts.flow.controlling_edges(operation.block)
        if facts.budget.left < floor or any(edge.branch in told for edge in edges):
            continue
        found = [_in_launch(launch, operation, mask) for launch in facts.launches]
        known = [each for each in found if each is not None]
        if known:
            best = max(known, key=lambda each: each.definite)
            told |= set() if best.edge is None else {best.edge.branch}
            yield best


def member_mask(operation: object) -> Value | None:
    """The member mask of a warp operation, where it has one."""
    if isinstance(operation, WarpOperation):
        return operation.mask
    if isinstance(operation, Barrier) and operation.kind is BarrierKind.WARP:
        return operation.operands[0] if operation.operands else None
    return None


def is_by_whole_warp(facts: BarrierFacts, operation: Member) -> bool:
    """Whether no decision before a warp operation can part the lanes of a warp."""
    edges = facts.flow.controlling_edges(operation.block)
    return all(
        launch.uniformity.of_branch(edge.branch) <= Uniformity.WARP
        for launch in facts.launches
        for edge in edges
    )


# ---- the width of a shuffle ----------------------------------------------------------------------


def _wrong_width(facts: BarrierFacts, operation: Member) -> int | None:
    width = whole_number(_width_operand(operation))
    if width is None or width & ALL == ALL:  # a mask in its place
        return None
    if facts.kernel.language == "cuda" and not _is_segment(operation):
        return width if width not in _WIDTHS else None
    segment = width >> 8 & 31
    return WARP - segment if segment not in _SEGMENTS else None


def _width_operand(operation: Member) -> Value | None:
    if not isinstance(operation, WarpOperation) or operation.kind not in SHUFFLES:
        return None
    values = [value for value in operation.operands if value is not operation.mask]
    return values[2] if len(values) > 2 else None


def _is_segment(operation: Member) -> bool:
    """Whether the width is PTX's operand c, as in inline assembly."""
    return operation.from_inline_asm


# ---- one warp ------------------------------------------------------------------------------------


def _in_launch(launch: BarrierLaunch, operation: Member, mask: Value) -> Mismatch | None:
    possible: Mismatch | None = None
    for example in examples(launch.launch):
        if launch.facts.budget.used_up:
            return possible
        unknown, found = _by_example(launch, operation, mask, example)
        if found is not None and not example.can_be_launched(launch):
            found = _in_its_grid(launch, operation, mask, example) or found
        if found is not None and found.definite:
            return found
        possible = possible or found
        if not example.used or (unknown and example.iteration == 0):
            break  # nothing was assumed, or what is not known depends on no number
    if possible is None or possible.candidate is None or possible.candidate.is_launchable:
        return possible
    return _as_launched(launch, operation, mask) or possible


def _by_example(
    launch: BarrierLaunch, operation: Member, mask: Value, example: Example
) -> tuple[bool, Mismatch | None]:
    """Whether something of a warp is not known with these numbers, and what is wrong with one."""
    possible: Mismatch | None = None
    for warp in launch.warps():
        blocks = len(launch.facts.kernel.blocks)
        launch.facts.budget.spend(blocks, blocks)  # for the guards
        evaluator = example.evaluator(launch, warp, operation.block, keeps_passed=True)
        seen = _Warp(launch, operation, evaluator, example)
        if not seen.is_known(mask):
            return True, possible
        found = None if example.is_made_up else seen.judge(warp)
        if found is not None and found.definite:
            return False, found
        possible = possible or found
    return False, possible


def _in_its_grid(
    launch: BarrierLaunch, operation: Member, mask: Value, example: Example
) -> Mismatch | None:
    """The same in the grid that the host makes for these numbers."""
    corrected = example.in_its_grid(launch)
    return None if corrected is None else _by_example(launch, operation, mask, corrected)[1]


def _as_launched(launch: BarrierLaunch, operation: Member, mask: Value) -> Mismatch | None:
    """The same with numbers that the host can pass."""
    for example in launched_examples(launch):
        if launch.facts.budget.used_up:
            return None
        _, found = _by_example(launch, operation, mask, example)
        if found is not None and not example.can_be_launched(launch):
            found = _in_its_grid(launch, operation, mask, example)
        if found is not None and found.definite:
            return found
    return None


class _Warp:
    """The lanes of one warp at one operation."""

    def __init__(
        self,
        launch: BarrierLaunch,
        operation: Member,
        evaluator: WarpEvaluator,
        example: Example,
    ) -> None:
        self._launch = launch
        self._operation = operation
        self._block: Block = operation.block
        self._evaluator = evaluator
        self._example = example
        self._guards: Guards = launch.guards(evaluator)
        self._guarded = self._guards.of(self._block)
        self._masks: tuple[int, ...] = ()
        self._is_voted = False

    def is_known(self, mask: Value) -> bool:
        """Whether it is known who comes and with which mask."""
        voted = self._voted(mask)
        self._is_voted = voted is not None
        value = voted or self._evaluator.value_in(self._block, mask)
        if self._guarded.assumed or not isinstance(value, LaneValue) or not value.is_number:
            return False
        self._masks = tuple(lane & ALL for lane in value.lanes)
        return True

    def _voted(self, mask: Value) -> LaneValue | None:
        """The mask that a vote of the whole warp gives, where each lane's answer is known."""
        vote = mask.operands[0] if isinstance(mask, Convert) else mask
        if (
            not isinstance(vote, WarpOperation)
            or vote.kind is not WarpKind.VOTE_BALLOT
            or vote.mask is None
        ):
            return None
        loop = self._launch.facts.flow.innermost_loop.get(vote.block)
        if loop is not None and self._block not in loop.blocks:
            return None
        everybody, answer = (
            self._evaluator.value_in(vote.block, each) for each in (vote.mask, vote.operands[0])
        )
        there = self._guards.of(vote.block)
        if there.assumed or there.mask != self._evaluator.exists:
            return None
        if not isinstance(everybody, LaneValue) or not isinstance(answer, LaneValue):
            return None
        if not everybody.is_number or not answer.is_number:
            return None
        if any(lane & ALL != ALL for lane in everybody.lanes):
            return None
        lanes = zip(self._evaluator.exists, answer.lanes, strict=True)
        return constant(_bits([lane for lane, (here, yes) in enumerate(lanes) if here and yes]))

    @property
    def _executing(self) -> list[int]:
        exists, mask = self._evaluator.exists, self._guarded.mask
        return [lane for lane in range(WARP) if exists[lane] and mask[lane]]

    def judge(self, warp: int) -> Mismatch | None:
        """What is wrong with the warp at this operation."""
        executing = self._executing
        if not executing:
            return None
        excluded = [lane for lane in executing if not self._masks[lane] >> lane & 1]
        if excluded:
            return self._found(MismatchKind.EXCLUDED, warp, excluded, None)
        for edge in self._launch.facts.flow.controlling_edges(self._block):
            if self._launch.uniformity.of_branch(edge.branch) is not Uniformity.VARYING:
                continue
            absent = self._absent(edge, executing)
            if absent and _meets_elsewhere(self._launch.facts.flow, edge, self._operation):
                return self._found(MismatchKind.ABSENT, warp, absent, edge)
            if absent and self._runs_on(edge):
                return self._found(MismatchKind.RUNS_ON, warp, absent, edge)
        if self._is_voted:
            return None  # the guide's own reductions read beyond the lanes that voted
        missing = self._missing_sources(executing)
        return self._found(MismatchKind.SOURCE, warp, missing, None) if missing else None

    def _absent(self, edge: ControlEdge, executing: list[int]) -> list[int]:
        """The lanes that the masks name and that go another way at this decision."""
        named = 0
        for lane in executing:
            named |= self._masks[lane]
        taken = self._guards.taken(edge)
        there = self._guards.of(edge.branch)
        if taken is None or there.assumed:
            return []
        return [
            lane
            for lane in range(WARP)
            if self._evaluator.exists[lane]
            and there.mask[lane]
            and not taken[lane]
            and named >> lane & 1
            and lane not in executing
        ]

    def _runs_on(self, edge: ControlEdge) -> bool:
        """Whether the lanes that go another way do so by their index alone, and do not return."""
        facts = self._launch.facts
        if facts.kernel.language == "ptx" or self._example.decides(edge.branch):
            return False
        flow = facts.flow
        arm = reached(edge.others, without=flow.immediate_post_dominator(edge.branch))
        ends = (block.terminator for block in arm)
        if any(
            isinstance(end, Exit) or (isinstance(end, Return) and not end.implicit) for end in ends
        ):
            return False
        return not _is_in_other_arm(flow, edge, self._operation)

    def _missing_sources(self, executing: list[int]) -> list[int]:
        """The lanes read from, when each lane that reads another reads from one not there."""
        sources = self._sources(executing)
        others = {lane: source for lane, source in sources.items() if source != lane}
        there = {*executing, *self._in_other_arms(executing)}
        if not others or not there.isdisjoint(others.values()):
            return []
        return sorted(set(others.values()))

    def _in_other_arms(self, executing: list[int]) -> list[int]:
        """The lanes that execute the like of this operation before the ways join."""
        flow = self._launch.facts.flow
        return [
            lane
            for edge in flow.controlling_edges(self._block)
            if _is_in_other_arm(flow, edge, self._operation)
            for lane in self._absent(edge, executing)
        ]

    def _sources(self, executing: list[int]) -> dict[int, int]:
        operation = self._operation
        if not isinstance(operation, WarpOperation) or operation.kind not in SHUFFLES:
            return {}
        values = [value for value in operation.operands if value is not operation.mask]
        if len(values) < 2:
            return {}
        numbers = [self._evaluator.value_in(self._block, value) for value in values[1:3]]
        lanes = [n.lanes for n in numbers if isinstance(n, LaneValue) and n.is_number]
        if len(lanes) < len(numbers):
            return {}
        in_ptx = self._launch.facts.kernel.language == "ptx" or _is_segment(operation)
        mode = operation.kind
        found: dict[int, int] = {}
        for lane in executing:
            last = lanes[1][lane] if len(lanes) > 1 else WARP
            control = last if in_ptx and len(lanes) > 1 else control_of(mode, last)
            found[lane] = source_lane(mode, lane, lanes[0][lane], control)
        return found

    def _found(
        self, kind: MismatchKind, warp: int, lanes: list[int], edge: ControlEdge | None
    ) -> Mismatch:
        from ..doubts.registry import OF_MASKS

        candidate = self._candidate(kind)
        return Mismatch(
            kind,
            self._operation,
            mask=self._masks[self._executing[0]],
            executing=_bits(self._executing),
            lanes=_bits(lanes),
            warp=warp,
            edge=edge,
            launch=self._launch.launch,
            assumed=self._example.named,
            iteration=self._example.iteration_of_loop,
            candidate=candidate,
            doubts=doubts_of(OF_MASKS, candidate, every=self._launch.facts.options.doubted),
        )

    def _candidate(self, kind: MismatchKind) -> MaskCandidate:
        splits = self._splits()
        is_source = kind is MismatchKind.SOURCE
        return MaskCandidate(
            self._launch,
            self._operation,
            tuple(self._example.used),
            names_all=self._masks[self._executing[0]] == ALL,
            splits=tuple(splits),
            has_odd_split=is_source and not all(map(self._counts_lanes, splits)),
            is_launchable=self._example.can_be_launched(self._launch),
        )

    def _splits(self) -> list[Block]:
        """The decisions that split the warp."""
        uniformity = self._launch.uniformity
        edges = self._launch.facts.flow.controlling_edges(self._block)
        return [e.branch for e in edges if uniformity.of_branch(e.branch) is Uniformity.VARYING]

    def _counts_lanes(self, branch: Block) -> bool:
        """Whether a decision compares an index that goes up by one from lane to lane."""
        condition = branch.terminator.operands[0]
        if not isinstance(condition, Compare):
            return False
        values = [self._evaluator.value_in(branch, each) for each in condition.operands]
        known = [value.lanes for value in values if isinstance(value, LaneValue)]
        whole = all(self._evaluator.exists)
        steps = [all(b - a == 1 for a, b in pairwise(lanes)) for lanes in known]
        return whole and any(steps)


def _bits(lanes: list[int]) -> int:
    return sum(1 << lane for lane in set(lanes))


# ---- where the other lanes go --------------------------------------------------------------------


def _meets_elsewhere(flow: ControlFlow, edge: ControlEdge, operation: Member) -> bool:
    """Whether the lanes that go another way come to a place where they meet others again.

    The same operation before the ways join is where they are awaited.
    """
    if _is_in_other_arm(flow, edge, operation):
        return False
    return any(_meets(each) for block in reached(edge.others) for each in block.operations)


def _is_in_other_arm(flow: ControlFlow, edge: ControlEdge, operation: Member) -> bool:
    arm = reached(edge.others, without=flow.immediate_post_dominator(edge.branch))
    return any(_is_alike(each, operation) for block in arm for each in block.operations)


def _meets(operation: object) -> bool:
    if isinstance(operation, WarpOperation):
        return operation.mask is not None
    return isinstance(operation, Barrier) and operation.kind in _MEETING


def _is_alike(other: object, operation: Member) -> bool:
    """Whether it is the same operation, perhaps in its next iteration, or its like elsewhere."""
    if isinstance(operation, WarpOperation):
        return isinstance(other, WarpOperation) and other.kind is operation.kind
    return isinstance(other, Barrier) and other.kind is BarrierKind.WARP
