"""Loops in which a thread waits for memory that another thread writes.

In: a kernel's facts. Out: each loop that does nothing but read one place of global memory, or of
other spaces when asked for, until it holds something else, with the reads, the decision and the
object. Loops that store, that count, if only to give up, or walk through an array, are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.arithmetic import evaluate
from ...ir.memory import Space
from ...ir.operations import (
    AccessKind,
    Barrier,
    Branch,
    Compare,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
    unconverted,
)
from ...ir.types import Kind
from ...ir.values import whole_number
from ...source.records import dataclass
from ..dataflow.slices import backward_slice
from ..pointers.memory_model import only_reads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ir.memory import MemoryObject
    from ..dataflow.control_flow import Loop
    from .facts import OrderFacts

_GLOBAL = frozenset({Space.GLOBAL})
_UNREAD = frozenset({Opcode.CALL, Opcode.OPAQUE})


@dataclass(frozen=True, slots=True)
class Spin:
    """A loop that waits for another thread's write, the read it waits on, the decision to go on
    waiting, and what is read.
    """

    loop: Loop
    read: MemoryAccess
    decision: Branch
    item: MemoryObject

    @property
    def swaps(self) -> bool:
        """Whether it takes a lock: compare-and-swap, or exchange, and not just a look."""
        return self.read.atomic in ("cas", "exch") and not only_reads(self.read)

    @property
    def is_plain(self) -> bool:
        """Whether it is an ordinary load, that a compiler may do once; inline PTX stays, no load is
        moved across a fence, and what is of no known type may be declared volatile or atomic.
        """
        read = self.read
        if read.kind is not AccessKind.LOAD or read.volatile or read.scope:
            return False
        if read.element.kind is Kind.UNKNOWN:
            return False
        inside = (each for block in self.loop.blocks for each in block.operations)
        if any(each.opcode is Opcode.FENCE for each in inside):
            return False
        return not read.from_inline_asm

    def goes_on_at(self, number: int) -> bool | None:
        """Whether a thread that reads this number waits on; None when that is not known."""
        test = self.decision.condition
        if not isinstance(test, Compare):
            return None
        operands = [unconverted(each) for each in test.operands]
        values = [number if each is self.read else whole_number(each) for each in operands]
        numbers = [each for each in values if each is not None]
        if self.read not in operands or len(numbers) < len(values):
            return None
        holds = evaluate(test.opcode, test.compared, numbers)
        if holds is None:
            return None
        return (self.decision.then if holds else self.decision.otherwise) in self.loop.blocks


def spins(facts: OrderFacts, spaces: frozenset[Space] = _GLOBAL) -> Iterator[Spin]:
    """The loops of a kernel in which a thread waits for memory that another thread writes."""
    for loop in facts.flow.loops:
        inside = [each for block in loop.blocks for each in block.operations]
        decisions = [e.terminator for e in loop.exits if isinstance(e.terminator, Branch)]
        if any(map(_does_more, inside)) or any(_counts(loop, each) for each in decisions):
            continue
        for decision in decisions:
            found = _waits(facts, loop, decision, spaces)
            if found is not None:
                yield found


def _does_more(operation: Operation) -> bool:
    if isinstance(operation, MemoryAccess):
        return operation.kind not in (AccessKind.LOAD, AccessKind.ATOMIC)
    waits = isinstance(operation, Barrier) and operation.wait
    return waits or operation.opcode in _UNREAD


def _counts(loop: Loop, decision: Branch) -> bool:
    """Whether a decision depends on what changes from iteration to iteration by itself."""
    return any(
        isinstance(each, Phi) and each.block is loop.header
        for each in backward_slice(decision.condition)
    )


def _leads_to_another(facts: OrderFacts, read: MemoryAccess, every: Sequence[MemoryAccess]) -> bool:
    """Whether a read only says where another one is: `while (!ready[of[i]]) {}`, of input, or of
    shared memory that the loop's own block has written before, and reads as what nobody changes.
    """
    item = facts.points_to.object_of(read)
    if item is None:
        return False
    is_settled = item.space is Space.SHARED and read.kind is AccessKind.LOAD and not read.volatile
    if not is_settled and (facts.writers.get(item) or facts.writers.get(None)):
        return False
    return any(each is not read and read in backward_slice(each.address) for each in every)


def _waits(
    facts: OrderFacts, loop: Loop, decision: Branch, spaces: frozenset[Space]
) -> Spin | None:
    parts = [each for each in backward_slice(decision.condition) if isinstance(each, Operation)]
    every = [e for e in parts if isinstance(e, MemoryAccess) and e.block in loop.blocks]
    reads = [each for each in every if not _leads_to_another(facts, each, every)]
    if not reads or len({facts.points_to.object_of(each) for each in reads}) > 1:
        return None
    # One that looks before it swaps waits for the swap.
    read = max(reads, key=lambda each: each.kind is AccessKind.ATOMIC)
    walks = any(
        isinstance(each, Operation) and each.block in loop.blocks and isinstance(each, Phi)
        for each in backward_slice(read.address)
    )
    item = facts.points_to.object_of(read)
    if walks or item is None or facts.points_to.space_of(read) not in spaces:
        return None
    return Spin(loop, read, decision, item)
