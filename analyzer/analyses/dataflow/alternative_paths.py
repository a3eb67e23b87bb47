"""Where the threads go that do not take an edge of the control flow, and what they meet there.

In: a kernel's facts. Out: whether the threads that do not go to a barrier leave the kernel, wait
elsewhere, may come to it all the same, or stop the grid. Found by walking back from barriers,
effects and ends, once for all edges. Not handled: whether a way through the graph can be gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from ...ir.operations import (
    EFFECTS,
    TERMINATORS,
    WHOLE,
    Barrier,
    Exit,
    Jump,
    Operation,
    Return,
)
from .block_sets import reached
from .reachability import reachable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...ir.block import Block
    from .control_flow import ControlEdge
    from .facts import DataflowFacts

_VISIBLE = EFFECTS - TERMINATORS


def meets_all(operation: Operation) -> TypeGuard[Barrier]:
    """Whether an operation of the IR is a barrier of a whole block, grid or cluster."""
    return isinstance(operation, Barrier) and operation.kind in WHOLE


class AlternativePaths:
    """Where threads go in the control flow that do not take an edge; found once by walking back."""

    def __init__(self, facts: DataflowFacts) -> None:
        blocks = facts.kernel.blocks
        ends = [block for block in blocks if not block.successors]
        self._ptx = facts.kernel.language == "ptx"
        self._flow = facts.flow
        self._to_barrier = self._leading_to(filter(_has_barrier, blocks))
        self._to_effect = self._leading_to(block for block in blocks if not _only_returns(block))
        self._to_end = self._leading_to(ends)
        self._to_open_end = self._leading_to(filter(_falls_off, ends))
        self._stops = set(filter(_stops_the_grid, ends))
        self._returns = [end for end in ends if end not in self._stops]
        self._to_return = self._leading_to(self._returns)
        self._ahead: dict[ControlEdge, set[Block]] = {}
        self._past: dict[Block, set[Block]] = {}

    def leave(self, edge: ControlEdge) -> bool:
        """Whether they leave the kernel without another barrier; the edge leads to one."""
        ways = edge.others
        if self._ptx or _any_of(self._to_barrier, ways):
            return False
        if all(map(_returns_to_caller, ways)):
            return True  # and the caller has nothing left to do
        return _any_of(self._to_end, ways) and not _any_of(self._to_open_end, ways)

    def may_come(self, edge: ControlEdge, barrier: Block) -> bool:
        """Whether they may come to the barrier all the same, without another such decision."""
        ways = [way for way in edge.others if way is not edge.branch]
        ahead = [self._flow.ahead[way.index] for way in ways]
        if not any(bits >> edge.branch.index & 1 for bits in ahead):
            return barrier in ways or any(bits >> barrier.index & 1 for bits in ahead)
        if edge not in self._ahead:
            self._ahead[edge] = reached(ways, without=edge.branch)
        return barrier in self._ahead[edge]

    def stop(self, edge: ControlEdge) -> bool:
        """Whether they stop the whole grid, whoever else waits."""
        return not _any_of(self._to_return, edge.others)

    def come_or_stop(self, edge: ControlEdge, barrier: Block) -> bool:
        """Whether all of them come to the barrier, decide once more, or stop the grid."""
        if not self._stops:
            return False
        if barrier not in self._past:
            ends = [end for end in self._returns if end is not barrier]
            self._past[barrier] = reached(ends, without=barrier, back=True)
        leaving, branch = self._past[barrier], edge.branch  # past the barrier, perhaps the branch

        def onwards(block: Block) -> list[Block]:
            return [each for each in block.successors if each in leaving and each is not branch]

        ways = [way for way in edge.others if way in leaving and way is not branch]
        return all(block.successors for block in reachable(ways, onwards))

    def go_on(self, edge: ControlEdge, barrier: Block) -> bool:
        """Whether all of them, with no barrier on the way, decide once more, leave the kernel by a
        `return` that nobody comes to from the barrier, or stop the grid: in a loop that some leave
        by a `return` in its body, whoever goes on comes to the barrier behind it in the end.
        """
        branch = edge.branch
        ways = [way for way in edge.others if way is not branch]
        again = any(self._flow.ahead[way.index] >> branch.index & 1 for way in ways)
        if self._ptx or not again:
            return False
        behind = self._flow.ahead[barrier.index] | 1 << barrier.index
        met = reached(ways, without=branch)
        ends = [block for block in met if not block.successors and block not in self._stops]
        return not any(map(_has_barrier, met)) and not any(
            behind >> end.index & 1 or _falls_off(end) for end in ends
        )

    def return_at_once(self, edge: ControlEdge) -> bool:
        """Whether in PTX they only return: a guard and an early return look alike."""
        return self._ptx and self.do_nothing(edge)

    def may_meet_barrier(self, edge: ControlEdge) -> bool:
        """Whether a barrier lies ahead of them, however far."""
        return _any_of(self._to_barrier, edge.others)

    def do_nothing(self, edge: ControlEdge) -> bool:
        """Whether nothing lies ahead of them that another thread could see."""
        return not _any_of(self._to_effect, edge.others)

    def _leading_to(self, blocks: Iterable[Block]) -> int:
        """The blocks from which one comes to some of these, themselves included, as bits."""
        bits = 0
        for block in blocks:
            if not bits >> block.index & 1:
                bits |= self._flow.behind[block.index] | 1 << block.index
        return bits


def _any_of(bits: int, blocks: Iterable[Block]) -> bool:
    return any(bits >> block.index & 1 for block in blocks)


def _stops_the_grid(block: Block) -> bool:
    """Whether a block ends with a trap; `exit` in PTX ends a thread alone."""
    last = block.terminator
    return isinstance(last, Exit) and not last.alone


def _falls_off(block: Block) -> bool:
    """Whether a kernel ends there without a `return`."""
    return isinstance(block.terminator, Return) and block.terminator.implicit


def _returns_to_caller(block: Block) -> bool:
    """Whether a block ends with the `return` of a function that was inlined."""
    last = block.terminator
    return isinstance(last, Jump) and last.returns


def _has_barrier(block: Block) -> bool:
    return any(map(meets_all, block.operations))


def _only_returns(block: Block) -> bool:
    """Whether a block does nothing that another thread could see."""
    return not any(operation.opcode in _VISIBLE for operation in block.operations)
