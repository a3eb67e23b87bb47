"""Block barriers that not every thread reaches, each with two threads to show for it.

In: a kernel's facts. Out: for each barrier of the whole block (or grid, or cluster) that is control
dependent on a decision that varies inside the block, a `DivergentBarrier`. With a witness (numbers
for the unknown parameters under which one thread arrives and another does not, found by evaluating
the whole block) it is shown; without one, or where the other threads may come to the barrier on
another way, it is only possible. A decision that no number splits, such as `threadIdx.x < 256` in a
block of 256, is silent. Where the course of a loop is known, every round is looked at. A decision
on data that each thread loads for itself is shown by two values of that data (`divergent_data.py`).
Where nobody states the block, sizes that the real block may fit leave it at that: only possible.

Threads that leave the kernel before the barrier (`if (i >= n) return;`) are another matter, since
from sm_70 on a barrier waits for the threads that are left; they are not reported here. In PTX the
two cannot be told apart when the code behind the branch only returns: that is only possible.
"""

from __future__ import annotations

from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING

from ..ir.operations import (
    EFFECTS,
    TERMINATORS,
    Barrier,
    BarrierKind,
    Branch,
    Compare,
    Exit,
    Jump,
    MemoryAccess,
    Operation,
    Return,
    Switch,
)
from ..ir.values import Parameter, Special, SpecialRegister
from ..source.records import dataclass
from .between import reached
from .block_program import computed_from, is_block_index
from .divergent_data import data_split
from .example_numbers import examples
from .uniformity import Uniformity
from .value_origins import comparisons

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..ir.block import Block
    from ..ir.kernel import Dimensions
    from ..ir.values import Value
    from .control_flow import ControlEdge
    from .divergent_data import Datum
    from .example_numbers import Example
    from .facts import KernelFacts, LaunchFacts
    from .guards import Mask
    from .launch import AssumedLaunch
    from .warp_evaluator import WarpEvaluator

_VISIBLE = EFFECTS - TERMINATORS
_KINDS = (BarrierKind.BLOCK, BarrierKind.GRID, BarrierKind.CLUSTER)


@dataclass(frozen=True, slots=True)
class Witness:
    """Two threads of one block, one at the barrier and one not, and what was assumed."""

    arrives: Dimensions
    misses: Dimensions
    arriving: int
    threads: int
    assumed: tuple[tuple[str, int], ...]  # parameter or value, number
    round: int | None  # of the loop the decision belongs to
    data: tuple[Datum, ...] | None = None  # what the two load; the others then may do either


@dataclass(frozen=True, slots=True)
class DivergentBarrier:
    """A barrier, the decision that splits the block before it, and the proof if there is one."""

    barrier: Barrier
    edge: ControlEdge
    level: Uniformity
    launch: AssumedLaunch
    witness: Witness | None
    source: Operation | None  # where threadIdx enters the decision
    both_arms: bool  # the other way leads through a barrier of its own
    leaves_after: bool  # the threads that miss it have nothing left to do but return
    definite: bool


def divergent_barriers(facts: KernelFacts) -> list[DivergentBarrier]:
    """The divergent barriers of a kernel, in program order."""
    found: list[DivergentBarrier] = []
    others = _Others(facts)
    for operation in facts.kernel.operations():
        if isinstance(operation, Barrier) and operation.kind in _KINDS:
            outcomes = [_judge(launch, operation, others) for launch in facts.launches]
            known = [outcome for outcome in outcomes if outcome is not None]
            if known:
                found.append(max(known, key=lambda outcome: outcome.definite))
    return found


def partial_exits(facts: KernelFacts) -> list[DivergentBarrier]:
    """Decisions by which a part of the block leaves the kernel, each with the barrier behind it."""
    found: dict[Block, DivergentBarrier] = {}
    others = _Others(facts)
    for operation in facts.kernel.operations():
        if not isinstance(operation, Barrier) or operation.kind not in _KINDS:
            continue
        for launch in facts.launches:
            for outcome in _exits_before(launch, operation, others):
                found.setdefault(outcome.edge.branch, outcome)
    return list(found.values())


def _exits_before(
    launch: LaunchFacts, barrier: Barrier, others: _Others
) -> Iterator[DivergentBarrier]:
    assert barrier.block is not None
    for edge in launch.facts.flow.controlling_edges(barrier.block):
        level = launch.uniformity.of_branch(edge.branch)
        leave = others.return_at_once(edge) or others.leave(edge)
        if level < Uniformity.WARP or not leave or others.stop(edge):
            continue
        _, witness = _find_witness(launch, edge)
        if witness is not None:
            yield DivergentBarrier(
                barrier,
                edge,
                level,
                launch.launch,
                witness,
                source=None,
                both_arms=False,
                leaves_after=True,
                definite=True,
            )


def _judge(launch: LaunchFacts, barrier: Barrier, others: _Others) -> DivergentBarrier | None:
    assert barrier.block is not None
    facts = launch.facts
    flow = facts.flow
    possible: DivergentBarrier | None = None
    for edge in flow.controlling_edges(barrier.block):
        level = launch.uniformity.of_branch(edge.branch)
        if level < Uniformity.WARP or others.leave(edge):
            continue
        if others.come_or_stop(edge, barrier.block):
            continue
        known, witness = _find_witness(launch, edge)
        if known and witness is None:
            continue
        witness = witness or _by_data(launch, edge)
        if witness is not None and others.may_come(edge, barrier.block):
            witness = None  # what they decide later is not looked at
        leaves = others.do_nothing(edge)
        both_arms = any(map(_has_barrier, _other_ways(edge)))
        # Whole warps may wait at different instructions: a barrier of PTX is the one of its number.
        apart = both_arms and level is Uniformity.WARP
        shown = witness is not None and not _may_suit_the_block(launch, edge, witness)
        outcome = DivergentBarrier(
            barrier,
            edge,
            level,
            launch.launch,
            witness,
            _thread_source(edge.branch.terminator),
            both_arms,
            leaves_after=leaves,
            definite=shown and not ((leaves or apart) and facts.kernel.language == "ptx"),
        )
        if outcome.definite:
            return outcome
        possible = possible or outcome
    return possible


def _may_suit_the_block(launch: LaunchFacts, edge: ControlEdge, witness: Witness) -> bool:
    """Whether the sizes assumed may be made for a block that nobody states.

    `threadIdx.x < n` may mean the whole block, and a loop in steps of the grid with a barrier in it
    is written for multiples of the block. `if (i < n)` is not: of all threads, some are the last.
    """
    if not launch.launch.guessed or not witness.assumed:
        return False
    flow, branch = launch.facts.flow, edge.branch
    if not any(map(_has_size, comparisons(branch.terminator.operands[0]))):
        return False
    if any(branch in flow.exit_decisions(loop) for loop in flow.loop_nest(branch)):
        return True
    return not any(map(is_block_index, computed_from(branch.terminator.operands[0])))


def _has_size(compare: Compare) -> bool:
    """Whether the thread index is compared with what a launch gives or memory holds."""
    parts = [set(computed_from(side)) for side in compare.operands]
    of_threads = [any(map(_is_thread_index, part)) for part in parts]
    return any(
        mine and not other and any(isinstance(v, Parameter | MemoryAccess) for v in part)
        for mine, other, part in zip(of_threads, reversed(of_threads), reversed(parts), strict=True)
    )


# ---- threads that leave --------------------------------------------------------------------------


class _Others:
    """Where threads go that do not take an edge; found once by walking back."""

    def __init__(self, facts: KernelFacts) -> None:
        blocks = facts.kernel.blocks
        ends = [block for block in blocks if not block.successors]
        self._ptx = facts.kernel.language == "ptx"
        self._to_barrier = _leading_to(filter(_has_barrier, blocks))
        self._to_effect = _leading_to(block for block in blocks if not _only_returns(block))
        self._to_end = _leading_to(ends)
        self._to_open_end = _leading_to(filter(_falls_off, ends))
        self._stops = set(filter(_stops_the_grid, ends))
        self._returns = [end for end in ends if end not in self._stops]
        self._to_return = _leading_to(self._returns)
        self._flow = facts.flow
        self._ahead: dict[ControlEdge, set[Block]] = {}
        self._past: dict[Block, set[Block]] = {}

    def leave(self, edge: ControlEdge) -> bool:
        """Whether they leave the kernel without another barrier; the edge leads to one."""
        ways = _other_ways(edge)
        if self._ptx or not self._to_barrier.isdisjoint(ways):
            return False
        if all(map(_returns_to_caller, ways)):
            return True  # and the caller has nothing left to do
        return not self._to_end.isdisjoint(ways) and self._to_open_end.isdisjoint(ways)

    def may_come(self, edge: ControlEdge, barrier: Block) -> bool:
        """Whether they may come to the barrier all the same, without another such decision."""
        ways = [way for way in _other_ways(edge) if way is not edge.branch]
        ahead = [self._flow.ahead[way.index] for way in ways]
        if not any(bits >> edge.branch.index & 1 for bits in ahead):
            return barrier in ways or any(bits >> barrier.index & 1 for bits in ahead)
        if edge not in self._ahead:
            onwards = partial(_but_for, edge.branch)
            self._ahead[edge] = reached(ways, onwards)
        return barrier in self._ahead[edge]

    def stop(self, edge: ControlEdge) -> bool:
        """Whether they stop the whole grid, whoever else waits."""
        return self._to_return.isdisjoint(_other_ways(edge))

    def come_or_stop(self, edge: ControlEdge, barrier: Block) -> bool:
        """Whether all of them come to the barrier, decide once more, or stop the grid."""
        if not self._stops:
            return False
        if barrier not in self._past:
            ends = [end for end in self._returns if end is not barrier]
            self._past[barrier] = reached(
                ends, lambda block: [each for each in block.predecessors if each is not barrier]
            )
        leaving, branch = self._past[barrier], edge.branch  # past the barrier, perhaps the branch
        work = [way for way in _other_ways(edge) if way in leaving and way is not branch]
        seen = {branch, *work}
        while work:
            following = work.pop().successors
            if not following:
                return False
            new = [each for each in following if each in leaving and each not in seen]
            seen.update(new)
            work += new
        return True

    def return_at_once(self, edge: ControlEdge) -> bool:
        """Whether in PTX they only return: a guard and an early return look alike."""
        return self._ptx and self.do_nothing(edge)

    def do_nothing(self, edge: ControlEdge) -> bool:
        """Whether nothing lies ahead of them that another thread could see."""
        return self._to_effect.isdisjoint(_other_ways(edge))


def _leading_to(blocks: Iterable[Block]) -> set[Block]:
    return reached(list(blocks), lambda block: block.predecessors)


def _stops_the_grid(block: Block) -> bool:
    """Whether a block ends with a trap; `exit` in PTX ends a thread alone."""
    last = block.terminator
    return isinstance(last, Exit) and last.name != "exit"


def _but_for(passed: Block, block: Block) -> list[Block]:
    """What follows a block, but for one."""
    return [following for following in block.successors if following is not passed]


def _falls_off(block: Block) -> bool:
    """Whether a kernel ends there without a `return`."""
    return isinstance(block.terminator, Return) and block.terminator.implicit


def _returns_to_caller(block: Block) -> bool:
    """Whether a block ends with the `return` of a function that was inlined."""
    last = block.terminator
    inlined = isinstance(last, Jump) and last.location.inlined_at is not None
    return inlined and last.location.span.text.startswith("return")


def _has_barrier(block: Block) -> bool:
    return any(
        isinstance(operation, Barrier) and operation.kind in _KINDS
        for operation in block.operations
    )


def _only_returns(block: Block) -> bool:
    """Whether a block does nothing that another thread could see."""
    return not any(operation.opcode in _VISIBLE for operation in block.operations)


def _other_ways(edge: ControlEdge) -> list[Block]:
    """Where the threads go that do not take the edge."""
    return [target for target in edge.branch.successors if target is not edge.target]


# ---- the witness ---------------------------------------------------------------------------------


def _find_witness(launch: LaunchFacts, edge: ControlEdge) -> tuple[bool, Witness | None]:
    """Whether the answer is certain, and numbers under which the decision splits the block."""
    conclusive = False
    for example in examples(launch.launch):
        if launch.facts.budget.used_up:
            return False, None
        outcome = _split(launch, edge, example)
        if outcome is None or example.is_made_up:
            continue
        if example.is_nameless:
            break  # any other example would have to say it, too
        if outcome.splits:
            return True, outcome.witness(launch, example.named, example.round_of_loop)
        if not example.used:
            conclusive = True
            break  # nothing was assumed: other numbers change nothing
    return conclusive, _in_some_round(launch, edge)


def _by_data(launch: LaunchFacts, edge: ControlEdge) -> Witness | None:
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
        split.example.round_of_loop,
        split.data,
    )


@dataclass(slots=True)
class _Ways:
    """The threads at a branch that take an edge, and those that do not."""

    takes: list[Dimensions] = field(default_factory=list)
    misses: list[Dimensions] = field(default_factory=list)

    @property
    def splits(self) -> bool:
        """Whether there are threads on both ways."""
        return bool(self.takes and self.misses)

    def add(self, evaluator: WarpEvaluator, reached: Mask, taken: Mask) -> None:
        """The lanes of a warp that get to the branch."""
        for lane, thread in enumerate(evaluator.threads):
            if evaluator.exists[lane] and reached[lane]:
                (self.takes if taken[lane] else self.misses).append(thread)

    def witness(
        self, launch: LaunchFacts, assumed: tuple[tuple[str, int], ...], round: int | None
    ) -> Witness:
        """The first thread of either way."""
        arriving, threads = len(self.takes), launch.launch.threads
        return Witness(self.takes[0], self.misses[0], arriving, threads, assumed, round)


def _in_some_round(launch: LaunchFacts, edge: ControlEdge) -> Witness | None:
    """A round of the loops around a decision in which it splits the block, nothing assumed."""
    nest = launch.facts.flow.loop_nest(edge.branch)
    rounds: dict[tuple[int, ...], _Ways] = {}
    for warp in range(launch.launch.warps if nest else 0):
        course = launch.rounds(warp, nest)
        if course is None or launch.facts.budget.used_up:
            return None
        for each in course.rounds:
            assert each.guards is not None
            assert each.evaluator is not None
            reached, taken = each.guards.of(edge.branch), each.guards.taken(edge)
            if taken is None or reached.assumed:
                return None
            numbers = tuple(each.numbers[loop.header] for loop in nest)
            rounds.setdefault(numbers, _Ways()).add(each.evaluator, reached.mask, taken)
    for numbers, ways in rounds.items():
        if ways.splits:
            return ways.witness(launch, (), numbers[0])
    return None


def _split(launch: LaunchFacts, edge: ControlEdge, example: Example) -> _Ways | None:
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
    seen: set[Operation] = {terminator}
    work: list[Operation] = [terminator]
    while work:
        operation = work.pop(0)
        for operand in operation.operands:
            if _is_thread_index(operand):
                return operation
            if isinstance(operand, Operation) and operand not in seen:
                seen.add(operand)
                work.append(operand)
    return None


def _is_thread_index(value: Value) -> bool:
    return isinstance(value, SpecialRegister) and value.register in _THREAD


_THREAD = (
    Special.THREAD_X,
    Special.THREAD_Y,
    Special.THREAD_Z,
    Special.LANE,
    Special.WARP,
)
