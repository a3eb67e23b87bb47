"""What of a kernel is live in one thread: operations that act, and all that they depend on.

Problem: dead code of a thread that does not take some ways: what it loads may matter to others
only. Algorithm: the mark phase of aggressive dead code elimination (Cytron et al., "Efficiently
Computing Static Single Assignment Form and the Control Dependence Graph", 1991, section 7.1): what
acts is live (stores, atomics, barriers, exchanges between lanes, calls, traps), and so are the
operands of what is live, the branches that decide whether it runs, and for a phi those that decide
which operand it takes. A branch that decides nothing of that is dead, and what it asks for with it.
In: control flow and the edges that the thread does not take. Out: the live operations. Example:
`if (p[2] > 0) m += p[0]; if (t == 0) p[0] = m;` is dead but for thread 0. A branch that leaves a
loop is always live: it says how long the thread waits. A store to a variable
of the thread's own is live where a live load may come after it. Not handled: which element of it.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import Function
from ...ir.operations import (
    EFFECTS,
    TERMINATORS,
    AccessKind,
    Exit,
    MemoryAccess,
    Operation,
    Phi,
    Pure,
)
from ...source.records import dataclass
from ..dataflow.reachability import reachable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...ir.block import Block
    from ...ir.memory import MemoryObject
    from ...ir.values import Value
    from .facts import PointerFacts

_PLAIN = frozenset({AccessKind.LOAD, AccessKind.STORE})
#: The ways out of branches that a thread does not take: from where, and to where.
Untaken = frozenset[tuple["Block", "Block"]]


@dataclass(frozen=True, slots=True)
class LivePart:
    """What matters of a kernel in a thread that does not take some ways."""

    values: frozenset[Value]
    blocks: frozenset[Block]  # that it may come to


class LiveValues:
    """What is live in threads of one kernel, found once for all that take the same ways."""

    def __init__(self, facts: PointerFacts) -> None:
        self._facts = facts
        self._flow = facts.flow
        self._found: dict[Untaken, LivePart] = {}
        leaving = [loop.leaving for loop in facts.flow.loops]
        self._waiting = frozenset(chain(*leaving, *facts.flow.irreducible_regions))

    def without(self, untaken: Untaken) -> LivePart:
        """What is live in a thread that does not take these ways."""
        if untaken not in self._found:
            self._found[untaken] = self._live(untaken)
        return self._found[untaken]

    def acts(self, operation: Operation) -> bool:
        """Whether an operation does what others notice, or decides how long a thread waits."""
        if isinstance(operation, MemoryAccess):
            return operation.kind is not AccessKind.LOAD and operation not in self._private
        if isinstance(operation, Exit):
            return not operation.alone
        if operation.opcode in TERMINATORS:
            return operation.block in self._waiting
        if isinstance(operation, Pure):
            return operation.function is Function.EXCHANGED
        return operation.opcode in EFFECTS

    def _live(self, untaken: Untaken) -> LivePart:

        def onwards(block: Block) -> Iterable[Block]:
            return [each for each in block.successors if (block, each) not in untaken]

        come_to = frozenset(reachable(self._flow.blocks[:1], onwards))

        def needs(value: Value) -> Iterator[Value]:
            if isinstance(value, Phi):
                ways = zip(value.operands, value.block.predecessors, strict=True)
                for operand, before in ways:
                    if before in come_to and (before, value.block) not in untaken:
                        yield operand
                        yield from self._deciding(before)
                        if len(before.successors) > 1:
                            yield before.terminator
                return
            yield from value.operands
            if isinstance(value, Operation) and value.opcode in EFFECTS:
                yield from self._deciding(value.block)
                for store in self._own_stores.get(value, ()):
                    if store.block in come_to:
                        yield store

        acting: Iterator[Value] = (
            each for block in come_to for each in block.operations if self.acts(each)
        )
        return LivePart(frozenset(reachable(acting, needs)), come_to)

    def _deciding(self, block: Block) -> Iterator[Operation]:
        """The branches that decide directly whether a block runs."""
        return (edge.branch.terminator for edge in self._flow.control_edges[block])

    @cached_property
    def _own_stores(self) -> dict[Value, list[MemoryAccess]]:
        """By each load of a variable of the thread's own the stores that it may find there."""
        found: dict[Value, list[MemoryAccess]] = {}
        ahead = self._flow.ahead
        for accesses in self._own:
            stores = [each for each in accesses if each.kind is AccessKind.STORE]
            for load in accesses:
                if load.kind is AccessKind.LOAD:
                    found[load] = [
                        store
                        for store in stores
                        if store.block is load.block
                        or ahead[store.block.index] >> load.block.index & 1
                    ]
        return found

    @cached_property
    def _private(self) -> frozenset[MemoryAccess]:
        """The accesses to the thread's own variables."""
        return frozenset(chain.from_iterable(self._own))

    @cached_property
    def _own(self) -> list[list[MemoryAccess]]:
        """The accesses to each variable of a thread's own, where nothing else is done with it."""
        kernel = self._facts.kernel
        items = [] if kernel.unread else kernel.objects_in(Space.LOCAL)
        return [self._only_accesses(item) for item in items]

    def _only_accesses(self, item: MemoryObject) -> list[MemoryAccess]:
        """The accesses to an object; none where its address is used for anything else."""
        accesses: list[MemoryAccess] = []
        for user, place in self._facts.uses_of_objects.get(item, ()):
            if user.opcode not in EFFECTS or user.opcode in TERMINATORS:
                continue
            if not isinstance(user, MemoryAccess) or user.kind not in _PLAIN or place:
                return []
            if self._facts.points_to.object_of(user) is not item:
                return []
            accesses.append(user)
        return accesses
