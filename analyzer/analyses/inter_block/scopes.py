"""How far an order between two accesses must reach: to the threads of one block, or to all.

In: a kernel's facts and two operations. Out: whether only threads of one block can meet at them:
all launches have one block, or both run for one and the same value of blockIdx alone. And whether
something that is executed orders what stands before it against what stands behind it, so far.
Not handled: clusters, which count as the device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operation_kinds import BETWEEN_BLOCKS, FenceKind, MemoryOrder
from ...ir.operations import (
    Barrier,
    BarrierKind,
    Branch,
    Compare,
    Fence,
    MemoryAccess,
    Opcode,
    Operation,
)
from ...ir.values import Special, SpecialRegister, whole_number
from ..block_execution.launch_values import BLOCK_INDEX
from ..dataflow.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ir.block import Block
    from ...ir.values import Value
    from .facts import OrderFacts


def has_one_block(facts: OrderFacts) -> bool:
    """Whether every launch of a kernel has a single block, so that an order need not
    reach others.
    """
    return all(each.launch.grid == (1, 1, 1) for each in facts.launches)


def has_one_thread(facts: OrderFacts) -> bool:
    """Whether every launch of a kernel has a single thread, which needs no order."""
    return has_one_block(facts) and all(each.launch.threads == 1 for each in facts.launches)


def meet_in_block(facts: OrderFacts, first: Operation, second: Operation) -> bool:
    """Whether two operations that need an order are made in one block, by values of blockIdx."""
    if has_one_block(facts):
        return True
    pins = facts.block_pins
    return not _pinned(facts, pins, first).isdisjoint(_pinned(facts, pins, second))


def are_of_two_blocks(facts: OrderFacts, first: Operation, second: Operation) -> bool:
    """Whether two operations are made in different blocks, by values of blockIdx."""
    ours, theirs = (dict(_pinned(facts, facts.block_pins, each)) for each in (first, second))
    return any(ours[axis] != theirs[axis] for axis in ours.keys() & theirs.keys())


def orders(operation: Operation, counting: frozenset[MemoryOrder], *, in_block: bool) -> bool:
    """Whether an operation orders memory, as a fence does: what comes before is seen before what
    comes behind.

    `counting` are the orders of atomic accesses that count. What was not read may have a fence.
    """
    if isinstance(operation, Fence):
        return in_block or operation.scope != "block" or operation.kind is FenceKind.PROXY
    if isinstance(operation, MemoryAccess):
        return operation.order in counting
    if operation.opcode in (Opcode.CALL, Opcode.OPAQUE):
        return True
    if not isinstance(operation, Barrier):
        return False
    return operation.kind in BETWEEN_BLOCKS or (in_block and operation.kind is BarrierKind.BLOCK)


Pins = tuple[tuple["Block", frozenset[tuple[Special, int]]], ...]


def block_pins(blocks: Sequence[Block]) -> Pins:
    """The blocks of code that only certain values of blockIdx enter, with these."""
    found: list[tuple[Block, frozenset[tuple[Special, int]]]] = []
    for block in blocks:
        last = block.terminator
        if not isinstance(last, Branch):
            continue
        for way, opcode in ((last.then, Opcode.EQ), (last.otherwise, Opcode.NE)):
            numbers = frozenset(_numbers_of_block(last.condition, opcode))
            if numbers and way.predecessors == [block]:
                found.append((way, numbers))
    return tuple(found)


def _pinned(facts: OrderFacts, pins: Pins, operation: Operation) -> frozenset[tuple[Special, int]]:
    """What blockIdx is known to be wherever the operation runs."""
    here, dominates = operation.block.index, facts.flow.dominators.dominates
    held = (numbers for way, numbers in pins if dominates(way.index, here))
    return frozenset[tuple[Special, int]]().union(*held)


def _numbers_of_block(condition: Value, opcode: Opcode) -> Iterator[tuple[Special, int]]:
    """The parts of blockIdx that a condition compares with a number, by `==` or by `!=`."""
    both = Opcode.AND if opcode is Opcode.EQ else Opcode.OR
    parts = backward_slice(
        condition, through=lambda each: isinstance(each, Operation) and each.opcode is both
    )
    for each in parts:
        if isinstance(each, Compare) and each.opcode is opcode:
            first, second = each.operands
            for value, other in ((first, second), (second, first)):
                number = whole_number(other)
                if number is not None:
                    yield from ((register, number) for register in _equal_to(value, number))


def _equal_to(value: Value, number: int) -> Iterator[Special]:
    """The parts of blockIdx that have a number when a value has it: of `x | y` both, if it is 0."""
    if isinstance(value, SpecialRegister) and value.register in BLOCK_INDEX:
        yield value.register
    elif isinstance(value, Operation) and value.opcode is Opcode.OR and number == 0:
        for operand in value.operands:
            yield from _equal_to(operand, number)
