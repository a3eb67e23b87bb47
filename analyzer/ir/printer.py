"""Prints a kernel as short text, for people and for goldens.

`%3 = add u32 %1, 4` : values are numbered in order of appearance; blocks go by label and number;
the source line stands behind `;`. Nothing reads this text back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .operations import (
    Barrier,
    Branch,
    Call,
    Compare,
    Convert,
    Exit,
    Fence,
    Field,
    Jump,
    MemoryAccess,
    OpaqueOperation,
    Operation,
    Phi,
    Pure,
    Return,
    Switch,
    WarpOperation,
)
from .types import VOID
from .values import Constant, ObjectAddress, Parameter, SpecialRegister, Unknown, Value

if TYPE_CHECKING:
    from .block import Block
    from .kernel import Kernel


def print_kernel(kernel: Kernel) -> str:
    """The whole IR of a kernel as text, ending in a line end."""
    return _Printer(kernel).text()


def value_names(kernel: Kernel) -> dict[Value, str]:
    """The name of every IR operation that has a result, as `print_kernel` numbers them: `%3`."""
    return {value: f"%{number}" for value, number in _Printer(kernel).numbers.items()}


def print_operations(kernel: Kernel) -> dict[Operation, str]:
    """The text of every IR operation, without its number and line."""
    printer = _Printer(kernel)
    return {operation: printer.body(operation) for operation in kernel.operations()}


def block_name(block: Block) -> str:
    """A basic block as branches in printed IR name it: `loop.3`."""
    return f"{block.label}.{block.index}"


class _Printer:
    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.numbers: dict[Value, int] = {}
        for operation in kernel.operations():
            if operation.type is not VOID:
                self.numbers[operation] = len(self.numbers)

    def text(self) -> str:
        kernel = self._kernel
        parameters = ", ".join(f"{p.type} {p.name}" for p in kernel.parameters)
        lines = [f"kernel {kernel.label}({parameters})"]
        for item in kernel.objects:
            size = "?" if item.size is None else str(item.size)
            lines.append(f"  {item.space.value} {item.name}: {size} bytes of {item.element}")
        for block in kernel.blocks:
            lines.append(f"{block_name(block)}:{_predecessors(block)}")
            for operation in block.operations:
                body = self._operation(operation)
                lines.append(f"  {body:<56} ; {operation.location.span.line}".rstrip())
        return "\n".join(lines) + "\n"

    def _operation(self, operation: Operation) -> str:
        head = f"%{self.numbers[operation]} = " if operation in self.numbers else ""
        return head + self.body(operation)

    def body(self, operation: Operation) -> str:
        """An operation without its number and line."""
        operands = ", ".join(self._value(value) for value in operation.operands)
        match operation:
            case Phi():
                return f"phi {operation.type} [{operands}] {operation.variable}".rstrip()
            case MemoryAccess():
                kind = operation.kind.value + (f".{operation.atomic}" if operation.atomic else "")
                volatile = ".volatile" if operation.volatile else ""
                width = "?" if operation.width is None else operation.width
                return f"{kind}{volatile}.{operation.space.value} {width}B [{operands}]"
            case Barrier():
                vote = f".{operation.vote}" if operation.vote else ""
                return f"barrier.{operation.kind.value}{vote} {operands}".rstrip()
            case Compare():
                return f"{operation.opcode.value} {operation.compared} {operands}"
            case Convert():
                return f"convert {operation.source} to {operation.type} {operands}"
            case Field():
                return f"{operation.opcode.value} {operation.type} {operands} .{operation.name}"
            case Pure() | WarpOperation() | Fence() | Exit():
                return f"{operation.opcode.value}.{operation.name} {operands}".rstrip()
            case Call():
                return f"call {operation.callee}({operands})"
            case OpaqueOperation():
                return f"opaque {operation.reason}"
            case Jump() | Branch() | Switch() | Return():
                return self._terminator(operation, operands)
            case _:
                return f"{operation.opcode.value} {operation.type} {operands}"

    def _terminator(self, operation: Operation, operands: str) -> str:
        if isinstance(operation, Switch):
            cases = [f"{value}: {block_name(block)}" for value, block in operation.cases]
            return f"switch {operands} [{', '.join(cases)}] {block_name(operation.default)}"
        if isinstance(operation, Branch):
            then, otherwise = block_name(operation.then), block_name(operation.otherwise)
            return f"branch {operands} ? {then} : {otherwise}"
        if isinstance(operation, Jump):
            return f"jump {block_name(operation.target)}"
        return "return"

    def _value(self, value: Value) -> str:
        match value:
            case Constant():
                return str(value.value)
            case Parameter():
                return f"${value.name}"
            case SpecialRegister():
                return value.name
            case ObjectAddress():
                return f"&{value.object.name}"
            case Unknown():
                return "unknown"
            case _:
                return f"%{self.numbers.get(value, '?')}"


def _predecessors(block: Block) -> str:
    return (
        "  ; from " + ", ".join(map(block_name, block.predecessors)) if block.predecessors else ""
    )
