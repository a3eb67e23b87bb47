"""A copy of a kernel in which some values stand for others.

In: a kernel, what replaces which value, and which object another. Out: a kernel with operations and
blocks of its own, in the same order; parameters, registers and constants are shared, and so is
everything that is only looked at (places in the source, types). The old operations are told with
the new ones.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from ..source.records import slots
from .block import Block
from .operations import Operation
from .values import ObjectAddress, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .kernel import Kernel
    from .memory import MemoryObject


def copied(
    kernel: Kernel,
    values: Mapping[Value, Value],
    objects: Mapping[MemoryObject, MemoryObject],
) -> tuple[Kernel, dict[Operation, Operation]]:
    """A copy of a kernel's IR with other values and objects, and the new operation for each old
    one.
    """
    work = _Copy(values, objects)
    blocks = [work.block(block) for block in kernel.blocks]
    for old, new in zip(kernel.blocks, blocks, strict=True):
        new.index = old.index
        new.predecessors = [work.blocks[each] for each in old.predecessors]
        new.operations = [work.operations[each] for each in old.operations]
        for operation in new.operations:
            work.finish(operation, new)
    made = replace(
        kernel,
        blocks=blocks,
        objects=[objects.get(item, item) for item in kernel.objects],
        definitions=[replace(each, value=work.value(each.value)) for each in kernel.definitions],
        unrolling={work.blocks[block]: number for block, number in kernel.unrolling.items()},
        written_twice={work.operations.get(each, each) for each in kernel.written_twice},
        stated=[replace(each, number=work.value(each.number)) for each in kernel.stated],
    )
    return made, work.operations


class _Copy:
    """What was made for what."""

    def __init__(
        self, values: Mapping[Value, Value], objects: Mapping[MemoryObject, MemoryObject]
    ) -> None:
        self.blocks: dict[Block, Block] = {}
        self.operations: dict[Operation, Operation] = {}
        self._values = dict(values)
        self._objects = objects

    def block(self, old: Block) -> Block:
        """A block with copies of the operations, which still take the old values."""
        self.blocks[old] = new = Block(old.label)
        for operation in old.operations:
            self.operations[operation] = copy(operation)
        return new

    def finish(self, operation: Operation, block: Block) -> None:
        """Lets a copy take the new values, in its block."""
        operation.block = block
        operation.operands = [self.value(each) for each in operation.operands]
        for name in _own_slots(operation):
            setattr(operation, name, self._any(getattr(operation, name)))

    def value(self, old: Value) -> Value:
        """What stands for a value now."""
        if isinstance(old, Operation):
            return self.operations.get(old, old)
        if isinstance(old, ObjectAddress) and old.object in self._objects:
            new = ObjectAddress(old.type, self._objects[old.object], old.declared, old.named_at)
            return self._values.setdefault(old, new)
        return self._values.get(old, old)

    def _any(self, old: object) -> object:
        """Values and blocks, and lists of them, that an operation holds beside its operands."""
        if isinstance(old, Value):
            return self.value(old)
        if isinstance(old, Block):
            return self.blocks[old]
        if isinstance(old, list | tuple):
            return type(old)(map(self._any, old))
        return old


def _own_slots(operation: Operation) -> Iterator[str]:
    """The names of what an operation of this class holds beside what all of them do."""
    common = slots(Operation)
    return (name for name in slots(type(operation)) if name not in common)
