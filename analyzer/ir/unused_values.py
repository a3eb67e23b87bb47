"""Drops what a kernel computes and nothing takes.

In: the blocks of a finished kernel. Out: the same without computations and plain loads whose
results are not used, as compilers leave them out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .operation_kinds import SEEN
from .operations import EFFECTS, AccessKind, MemoryAccess, Operation, Pure

if TYPE_CHECKING:
    from .block import Block


def drop_unused_values(blocks: list[Block]) -> None:
    """Take IR operations whose results nothing uses out of the basic blocks."""
    work = [op for block in blocks for op in block.operations if _has_effect(op)]
    live = set(work)
    while work:
        for operand in work.pop().operands:
            if isinstance(operand, Operation) and operand not in live:
                live.add(operand)
                work.append(operand)
    for block in blocks:
        block.operations = [operation for operation in block.operations if operation in live]


def _has_effect(operation: Operation) -> bool:
    """Whether an operation matters though nothing takes its result; compilers drop plain loads."""
    if isinstance(operation, MemoryAccess):
        plain = not (operation.volatile or operation.scope)
        return operation.kind is not AccessKind.LOAD or not plain
    if isinstance(operation, Pure):
        return operation.function in SEEN
    return operation.opcode in EFFECTS
