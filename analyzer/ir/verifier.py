"""Checks that a kernel is well formed; tests run it on every IR they build.

In: a finished kernel. Out: a list of complaints, empty when all is well: blocks numbered and linked
both ways, one terminator at each end, phis first and in step with predecessors, every operand
defined on every path before its use, integer constants in the range of their type, a value for each
access that writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .arithmetic import wrap
from .dominators import dominators
from .operations import TERMINATORS, MemoryAccess, Operation, Phi
from .types import Kind
from .values import Constant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .block import Block
    from .kernel import Kernel


_WHOLE = frozenset({Kind.INTEGER, Kind.POINTER, Kind.PREDICATE})


def verify(kernel: Kernel) -> list[str]:
    """Every way in which a kernel's IR breaks the rules of the IR."""
    if not kernel.blocks:
        return ["the kernel has no blocks"]
    complaints: list[str] = []
    all_blocks = set(kernel.blocks)
    for index, block in enumerate(kernel.blocks):
        if block.index != index:
            complaints.append(f"{block.label}: numbered {block.index}, stands at {index}")
        complaints += _block_complaints(block, all_blocks)
    if not complaints:
        complaints += _dominance_complaints(kernel)
    return complaints


def _block_complaints(block: Block, all_blocks: set[Block]) -> Iterator[str]:
    name = block.label
    if not block.operations or block.terminator.opcode not in TERMINATORS:
        yield f"{name}: does not end with a terminator"
        return
    in_head = True
    for operation in block.operations:
        if operation.block is not block:
            yield f"{name}: {operation.opcode.value} believes to be in {operation.block}"
        if operation.opcode in TERMINATORS and operation is not block.terminator:
            yield f"{name}: a terminator stands before the end"
        if isinstance(operation, Phi):
            if not in_head:
                yield f"{name}: a phi stands behind another operation"
            if len(operation.operands) != len(block.predecessors):
                yield f"{name}: phi of {operation.variable} does not match the predecessors"
        else:
            in_head = False
        yield from _constant_complaints(name, operation)
        if isinstance(operation, MemoryAccess) and operation.writes and not operation.operands[1:]:
            yield f"{name}: {operation.name} writes no value"
    for successor in block.successors:
        if successor not in all_blocks:
            yield f"{name}: goes to {successor.label}, which is not in the kernel"
        elif block not in successor.predecessors:
            yield f"{name}: {successor.label} does not know it as a predecessor"
    for predecessor in block.predecessors:
        if block not in predecessor.successors:
            yield f"{name}: {predecessor.label} does not go here"


def _constant_complaints(name: str, operation: Operation) -> Iterator[str]:
    for operand in operation.operands:
        if not isinstance(operand, Constant) or operand.type.kind not in _WHOLE:
            continue
        number = operand.value
        if not isinstance(number, int) or wrap(number, operand.type) != number:
            yield f"{name}: {operation.opcode.value} uses {number}, which is no {operand.type}"


def _dominance_complaints(kernel: Kernel) -> Iterator[str]:
    tree = dominators(kernel.blocks)
    position = {
        operation: index
        for block in kernel.blocks
        for index, operation in enumerate(block.operations)
    }
    for block in kernel.blocks:
        for operation in block.operations:
            for number, operand in enumerate(operation.operands):
                if not isinstance(operand, Operation):
                    continue
                if operand.block is None or operand not in position:
                    yield f"{block.label}: {operation.opcode.value} uses a value of no block"
                    continue
                user = block.predecessors[number] if isinstance(operation, Phi) else block
                same = operand.block is user and not isinstance(operation, Phi)
                if same and position[operand] >= position[operation]:
                    yield f"{block.label}: {operation.opcode.value} uses a later value"
                elif not tree.dominates(operand.block.index, user.index):
                    yield f"{block.label}: {operation.opcode.value} uses a value not always defined"
