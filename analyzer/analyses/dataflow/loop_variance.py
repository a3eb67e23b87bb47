"""Which values may change from iteration to iteration of a loop: all others are computed once.

In: a kernel's control flow. Out: for a loop, the operations that depend on its header's phis: by
their operands, by the decision that picks a phi's value, or by the iteration in which an inner loop
is left. Anything not in the set has one value for all iterations, or one name when it is not known.
`asked` are the operations that an address, a decision or what leaves the thread depends on: a sum
that is only stored needs no value in any iteration. The opposite, in the words of compilers, is
loop-invariant (Aho, Lam, Sethi, Ullman, "Compilers", 2nd ed., 9.1.7), here with control dependence,
since a phi's value depends on branches.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...ir.operations import AccessKind, Branch, MemoryAccess, Operation, Phi, Switch
from .evaluation_steps import is_evaluated
from .phi_shapes import selection
from .reachability import reachable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...ir.block import Block
    from .control_flow import ControlFlow, Loop


class LoopVariance:
    """The operations that vary between iterations in each loop of a kernel; results are kept."""

    def __init__(self, flow: ControlFlow) -> None:
        self._flow = flow
        self._known: dict[Loop, frozenset[Operation]] = {}
        self._behind: dict[Loop, tuple[Operation, ...]] = {}
        self._users: dict[Operation, list[Operation]] = {}
        for block in flow.blocks:
            for operation in block.operations:
                for operand in _inputs(flow, operation):
                    self._users.setdefault(operand, []).append(operation)

    def of(self, loop: Loop) -> frozenset[Operation]:
        """What may have another value in another iteration of the loop."""
        if loop not in self._known:
            self._known[loop] = self._solve(loop)
        return self._known[loop]

    @cached_property
    def asked(self) -> frozenset[Operation]:
        """What anything but a stored value is made of."""
        work: list[Operation] = []
        for block in self._flow.blocks:
            for operation in block.operations:
                if isinstance(operation, Phi) or is_evaluated(operation):
                    continue
                stores = isinstance(operation, MemoryAccess) and operation.kind is AccessKind.STORE
                taken = operation.operands[:1] if stores else operation.operands
                work += (value for value in taken if isinstance(value, Operation))
        return frozenset(reachable(work, lambda each: _inputs(self._flow, each)))

    def _solve(self, loop: Loop) -> frozenset[Operation]:
        ruled = self._inner_loops_by_branch(loop)

        def onwards(operation: Operation) -> Iterable[Operation]:
            if not isinstance(operation, Branch | Switch) or operation.block not in ruled:
                return self._users.get(operation, ())
            left = [user for inner in ruled[operation.block] for user in self._carried_out(inner)]
            return [*self._users.get(operation, ()), *left]

        phis: list[Operation] = list(loop.header.phis)
        return frozenset(reachable(phis, onwards))

    def _inner_loops_by_branch(self, loop: Loop) -> dict[Block, list[Loop]]:
        """The loops inside this one whose iterations each of its branches has a say in."""
        ruled: dict[Block, list[Loop]] = {}
        for inner in self._flow.loops:
            if inner is loop or inner.header not in loop.blocks:
                continue
            entering = (edge.branch for edge in self._flow.controlling_edges(inner.header))
            # A lane that is still in the loop took none of its ways out.
            entering = (branch for branch in entering if branch not in loop.exits)
            for block in {*self._flow.exit_decisions(inner), *entering}:
                ruled.setdefault(block, []).append(inner)
        return ruled

    def _carried_out(self, loop: Loop) -> tuple[Operation, ...]:
        """The operations behind a loop that use what it computed last."""
        if loop not in self._behind:  # asked again for each loop around it
            self._behind[loop] = tuple(
                user
                for block in loop.blocks
                for operation in block.operations
                for user in self._users.get(operation, ())
                if user.block not in loop.blocks
            )
        return self._behind[loop]


def _inputs(flow: ControlFlow, operation: Operation) -> list[Operation]:
    """What an operation's value is made of: its operands and the decisions between them."""
    found = [value for value in operation.operands if isinstance(value, Operation)]
    if isinstance(operation, Phi):
        chosen = selection(flow, operation)
        values = () if chosen is None else chosen.values()
        found += [value for value in values if isinstance(value, Operation)]
    return list(dict.fromkeys(found)) if len(found) > 1 else found
