"""Block barriers that not every thread reaches, each with two threads to show for it.

In: a kernel's facts. Out: for each barrier of the whole block (or grid, or cluster) that is control
dependent on a decision that varies inside the block, a `DivergentBarrier`. With a witness (numbers
for the unknown parameters under which one thread arrives and another does not, found by evaluating
the whole block) it is shown; without one, or where the other threads may come to the barrier on
another way, it is only possible. A decision that no number splits, such as `threadIdx.x < 256` in a
block of 256, is silent, and so is a barrier that no thread of the block comes to
(`never_reached.py`). Where the trip count of a loop is known, every iteration is looked at. A
decision on data that each thread loads for itself is shown by two values of that data
(`divergent_data.py`). Where nobody states the block, sizes that the real block may fit leave it at
that: only possible; so do loads behind the decision that ask for a second size.

Threads that leave the kernel before the barrier (`if (i >= n) return;`) are another matter, since
from sm_70 on a barrier waits for the threads that are left; they are not reported here. In PTX the
two cannot be distinguished when the code behind the branch only returns: that is only possible.
"""

from __future__ import annotations

from dataclasses import field, replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING

from ...ir.operations import (
    Barrier,
    BarrierKind,
    Branch,
    Operation,
    Switch,
)
from ...source.records import dataclass
from ..block_shape.block_size_guesses import is_thread_index
from ..conflicts.split_blocks import Split, Witness
from ..dataflow.alternative_paths import meets_all
from ..dataflow.slices import backward_slice
from ..doubts.barriers import other_paths, unshown_barriers
from ..doubts.barriers.candidates import ExitCandidate, SplitCandidate
from ..doubts.question.doubt import doubts_of
from ..warp_evaluation.example_numbers import (
    examples,
    examples_of_blocks,
    launched_examples,
    spread_examples,
)
from ..warp_evaluation.never_reached import is_never_reached
from ..warp_evaluation.uniformity import Uniformity
from .changing_conditions import may_change_between
from .divergent_data import data_split
from .witness_replay import replayed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.kernel import Dimensions
    from ..dataflow.barrier_counts import OtherBarriers
    from ..dataflow.control_flow import ControlEdge
    from ..doubts.question.doubt import AnyDoubt
    from ..launch.assumed_launch import AssumedLaunch
    from ..warp_evaluation.example_numbers import Example
    from ..warp_evaluation.guards import Mask
    from ..warp_evaluation.warp_evaluator import WarpEvaluator
    from .facts import BarrierFacts, BarrierLaunch


@dataclass(frozen=True, slots=True)
class DivergentBarrier:
    """A barrier that a decision keeps threads from, the decision, and the proof if there is one."""

    barrier: Barrier
    edge: ControlEdge
    level: Uniformity
    launch: AssumedLaunch
    witness: Witness | None
    source: Operation | None  # where threadIdx enters the decision
    others: OtherBarriers | None  # where the threads wait that miss it, if all of them do
    leaves_after: bool  # the threads that miss it have nothing left to do but return
    doubts: tuple[AnyDoubt, ...]

    @property
    def definite(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.doubts

    @property
    def parts_warp(self) -> bool:
        """Whether lanes of one warp go apart, as far as is known."""
        return self.witness is None or self.witness.parts_warp

    @property
    def meets_by_count(self) -> bool:
        """Whether whole warps wait elsewhere, for all that is known as often: hardware counts."""
        others = self.others
        return others is not None and others.as_often is not False and not self.parts_warp


def divergent_barriers(facts: BarrierFacts) -> list[DivergentBarrier]:
    """The barriers of a kernel that not every thread of a block reaches, in program order."""
    found: list[DivergentBarrier] = []
    for operation in facts.every(Barrier):
        if meets_all(operation):
            outcomes = [_judge(launch, operation) for launch in facts.launches]
            known = [outcome for outcome in outcomes if outcome is not None]
            if known:
                found.append(max(known, key=lambda each: (each.definite, not each.meets_by_count)))
    return found


def partial_exits(facts: BarrierFacts) -> list[DivergentBarrier]:
    """Decisions by which a part of the block leaves the kernel, each with the barrier after it;
    those that a doubt silences where they are asked for.
    """
    found: dict[Block, DivergentBarrier] = {}
    benign: dict[Block, DivergentBarrier] = {}
    for operation in facts.every(Barrier):
        if not meets_all(operation):
            continue
        for launch in facts.launches:
            for outcome in _exits_before(launch, operation):
                kept = benign if any(doubt.is_benign for doubt in outcome.doubts) else found
                kept.setdefault(outcome.edge.branch, outcome)
    silenced = [each for branch, each in benign.items() if branch not in found]
    return [*found.values(), *(silenced if facts.options.doubted else ())]


def leaving_decisions(facts: BarrierFacts) -> set[Block]:
    """The decisions by which a part of a block may leave the kernel before some barrier."""
    return {
        edge.branch
        for operation in facts.every(Barrier)
        if meets_all(operation)
        for launch in facts.launches
        for edge, _ in _leaving(launch, operation)
    }


def _leaving(launch: BarrierLaunch, barrier: Barrier) -> Iterator[tuple[ControlEdge, Uniformity]]:
    """The decisions before a barrier by which threads leave that others stay after."""
    others = launch.facts.alternative_paths
    for edge in launch.facts.flow.controlling_edges(barrier.block):
        level = launch.uniformity.of_branch(edge.branch)
        leave = others.return_at_once(edge) or others.leave(edge)
        if level >= Uniformity.WARP and leave and not others.stop(edge):
            yield edge, level


def _exits_before(launch: BarrierLaunch, barrier: Barrier) -> Iterator[DivergentBarrier]:
    for candidate in exit_candidates(launch, barrier):
        from ..doubts.registry import OF_EXITS

        yield DivergentBarrier(
            barrier,
            candidate.edge,
            candidate.level,
            launch.launch,
            candidate.witness,
            source=None,
            others=None,
            leaves_after=True,
            doubts=doubts_of(OF_EXITS, candidate, every=launch.facts.options.doubted),
        )


def exit_candidates(launch: BarrierLaunch, barrier: Barrier) -> Iterator[ExitCandidate]:
    """The decisions that part two threads, one of which leaves the kernel before the barrier."""
    for edge, level in _leaving(launch, barrier):
        _, witness = _find_witness(launch, edge)
        if witness is not None and not is_never_reached(launch, barrier.block):
            shown, comes = _replayed(launch, barrier, edge, witness)
            yield ExitCandidate(launch, barrier, edge, level, shown, comes=comes)


def _judge(launch: BarrierLaunch, barrier: Barrier) -> DivergentBarrier | None:
    others = launch.facts.alternative_paths
    possible: DivergentBarrier | None = None
    for candidate in split_candidates(launch, barrier):
        from ..doubts.registry import OF_BARRIERS

        doubts = doubts_of(OF_BARRIERS, candidate, every=launch.facts.options.doubted)
        if possible is not None and doubts:
            continue
        edge = candidate.edge
        hidden = {other_paths.DOUBT, unshown_barriers.DOUBT} & {*doubts}
        outcome = DivergentBarrier(
            barrier,
            edge,
            candidate.level,
            launch.launch,
            None if hidden else candidate.witness,
            _thread_source(edge.branch.terminator),
            _waiting_elsewhere(launch, barrier, edge),
            leaves_after=others.do_nothing(edge),
            doubts=doubts,
        )
        if not doubts and not outcome.meets_by_count:
            return outcome
        if possible is None or not doubts:
            possible = outcome
    return possible


def _waiting_elsewhere(
    launch: BarrierLaunch, barrier: Barrier, edge: ControlEdge
) -> OtherBarriers | None:
    if barrier.kind is not BarrierKind.BLOCK:
        return None
    return launch.barrier_counts.elsewhere(edge)


def split_candidates(launch: BarrierLaunch, barrier: Barrier) -> Iterator[SplitCandidate]:
    """The decisions before a barrier that may part threads, one of which does not come.

    Left out is what is known to part none, and what parts them before a barrier that nobody comes
    to.
    """
    others, place = launch.facts.alternative_paths, barrier.block
    for edge in launch.facts.flow.controlling_edges(place):
        level = launch.uniformity.of_branch(edge.branch)
        if level < Uniformity.WARP:
            if launch.facts.options.doubted and may_change_between(launch, edge):
                yield SplitCandidate(launch, barrier, edge, Uniformity.VARYING, None)
            continue
        if any((others.leave(edge), others.come_or_stop(edge, place), others.go_on(edge, place))):
            continue
        known, witness = _find_witness(launch, edge)
        if known and witness is None:
            continue
        witness = witness or _find_by_data(launch, edge)
        comes = True
        if witness is not None:
            witness, comes = _replayed(launch, barrier, edge, witness)
        candidate = SplitCandidate(launch, barrier, edge, level, witness, comes=comes)
        certain = witness is not None and not candidate.comes_otherwise
        if certain and not launch.launch.guessed and is_never_reached(launch, place):
            continue
        yield candidate


def _replayed(
    launch: BarrierLaunch, barrier: Barrier, edge: ControlEdge, witness: Witness
) -> tuple[Witness, bool]:
    """A witness whose thread comes to the barrier, as far as is known, and whether there is one."""
    again = partial(replayed, launch, barrier, edge.branch)
    if (shown := again(witness)) is not None:
        return shown, True
    for example in examples(launch.launch):
        other = None if launch.facts.budget.used_up else _by_example(launch, edge, example)
        if other is not None and (shown := again(other)) is not None:
            return shown, True
    return witness, False


def _find_witness(launch: BarrierLaunch, edge: ControlEdge) -> Split:
    """Found once for all barriers behind the edge, in all rules."""
    if edge not in launch.splits:
        launch.splits[edge] = _new_witness(launch, edge)
    return launch.splits[edge]


def _new_witness(launch: BarrierLaunch, edge: ControlEdge) -> Split:
    conclusive = False
    refused: Witness | None = None  # by what is known of the launch
    loads = False  # whether the decision asks for any
    for example in examples(launch.launch):
        if launch.facts.budget.used_up:
            return False, None
        outcome = _split(launch, edge, example)
        loads = loads or example.loads > 0
        if outcome is None or example.is_made_up:
            continue
        if example.is_nameless:
            break  # any other example would have to say it, too
        if outcome.splits:
            witness = outcome.witness(launch, example)
            if example.can_be_launched(launch):
                return True, witness
            refused = refused or replace(witness, launchable=False)
        if not example.used:
            conclusive = True
            break  # nothing was assumed: other numbers change nothing
    if refused is not None:
        shown = _as_launched(launch, edge) or _in_some_iteration(launch, edge)
        return True, shown or refused
    if not conclusive:
        conclusive, shown = _in_other_blocks(launch, edge)
        if conclusive:
            return True, shown
    if loads and not conclusive:
        shown = _by_spread_data(launch, edge)
        if shown is not None:
            return True, shown
    return conclusive, _in_some_iteration(launch, edge)


def _in_other_blocks(launch: BarrierLaunch, edge: ControlEdge) -> Split:
    """A witness in a block of a known grid other than the first one, nothing else being assumed; of
    a large grid some are looked at. That there is none is known of a small one.
    """
    blocks = list(examples_of_blocks(launch))
    for example in blocks:
        outcome = None if launch.facts.budget.used_up else _split(launch, edge, example)
        if outcome is None or not example.is_of_block:
            return False, None
        if outcome.splits:
            return True, outcome.witness(launch, example)
    return bool(blocks) and len(blocks) == prod(filter(None, launch.launch.grid)) - 1, None


def _by_spread_data(launch: BarrierLaunch, edge: ControlEdge) -> Witness | None:
    """A witness with loaded values that differ from each other and from all sizes."""
    for example in spread_examples(launch.launch):
        if launch.facts.budget.used_up:
            return None
        witness = _by_example(launch, edge, example)
        if example.is_nameless:
            return None
        if witness is not None:
            return witness
    return None


def _as_launched(launch: BarrierLaunch, edge: ControlEdge) -> Witness | None:
    """A witness with numbers that the launch gives, or that the host can pass."""
    for example in launched_examples(launch):
        if launch.facts.budget.used_up:
            return None
        witness = _by_example(launch, edge, example)
        if witness is not None:
            return replace(witness, passed=frozenset(each.name for each in launch.passed))
    return None


def _by_example(launch: BarrierLaunch, edge: ControlEdge, example: Example) -> Witness | None:
    """A witness with the numbers of an example, if the kernel may be launched with them."""
    outcome = _split(launch, edge, example)
    if outcome is None or example.is_made_up or not outcome.splits:
        return None
    if not example.can_be_launched(launch):
        return None
    return outcome.witness(launch, example)


def _find_by_data(launch: BarrierLaunch, edge: ControlEdge) -> Witness | None:
    """Found once for all barriers behind the edge."""
    if edge not in launch.data_splits:
        launch.data_splits[edge] = _by_data(launch, edge)
    return launch.data_splits[edge]


def _by_data(launch: BarrierLaunch, edge: ControlEdge) -> Witness | None:
    """Two threads that go apart by what each of them loads."""
    split = data_split(launch, edge) if isinstance(edge.branch.terminator, Branch) else None
    if split is None:
        return None
    threads = launch.new_evaluator(0, lambda _: None).threads
    return Witness(
        threads[split.takes],
        threads[split.misses],
        1,
        launch.launch.threads,
        split.example.named,
        split.example.iteration_of_loop,
        split.data,
    )


@dataclass(slots=True)
class _Ways:
    """The threads at a branch that take an edge, and those that do not."""

    takes: list[Dimensions] = field(default_factory=list)
    misses: list[Dimensions] = field(default_factory=list)
    parts_warp: bool = False

    @property
    def splits(self) -> bool:
        """Whether there are threads on both ways."""
        return bool(self.takes and self.misses)

    def add(self, evaluator: WarpEvaluator, reached: Mask, taken: Mask) -> None:
        """The lanes of a warp that get to the branch."""
        before = len(self.takes), len(self.misses)
        for lane, thread in enumerate(evaluator.threads):
            if evaluator.exists[lane] and reached[lane]:
                (self.takes if taken[lane] else self.misses).append(thread)
        if len(self.takes) > before[0] and len(self.misses) > before[1]:
            self.parts_warp = True

    def witness(
        self, launch: BarrierLaunch, example: Example | None, iteration: int | None = None
    ) -> Witness:
        """The first thread of either way, by an example or in some iteration."""
        return Witness(
            self.takes[0],
            self.misses[0],
            len(self.takes),
            launch.launch.threads,
            () if example is None else example.named,
            iteration if example is None else example.iteration_of_loop,
            parts_warp=self.parts_warp,
            used=() if example is None else tuple(example.used.items()),
        )


def _in_some_iteration(launch: BarrierLaunch, edge: ControlEdge) -> Witness | None:
    """An iteration of the loops around a decision in which it splits the block, nothing assumed."""
    nest = launch.facts.flow.loop_nest(edge.branch)
    iterations: dict[tuple[int, ...], _Ways] = {}
    for warp in range(launch.launch.warps if nest else 0):
        scenario = launch.iterations(warp, nest)
        if scenario is None or launch.facts.budget.used_up:
            return None
        for each in scenario.each:
            assert each.guards is not None
            assert each.evaluator is not None
            reached, taken = each.guards.of(edge.branch), each.guards.taken(edge)
            if taken is None or reached.assumed:
                return None
            numbers = tuple(each.numbers[loop.header] for loop in nest)
            iterations.setdefault(numbers, _Ways()).add(each.evaluator, reached.mask, taken)
    for numbers, ways in iterations.items():
        if ways.splits:
            return ways.witness(launch, None, numbers[0])
    return None


def _split(launch: BarrierLaunch, edge: ControlEdge, example: Example) -> _Ways | None:
    """The ways that the threads at the branch go; None if not known."""
    ways = _Ways()
    for warp in range(launch.launch.warps):
        evaluator = example.evaluator(launch, warp, edge.branch)
        guards = launch.guards(evaluator)
        taken = guards.taken(edge)
        if taken is None:
            return None
        ways.add(evaluator, guards.of(edge.branch).mask, taken)
    return ways


def _thread_source(terminator: Operation) -> Operation | None:
    """The operation through which threadIdx or the lane number enters a decision."""
    if not isinstance(terminator, Branch | Switch):
        return None
    for each in backward_slice(terminator):
        if isinstance(each, Operation) and any(map(is_thread_index, each.operands)):
            return each
    return None
