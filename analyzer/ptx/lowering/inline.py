"""Inline PTX: the text of an `asm` statement lowered into the kernel around it.

In: the builder of the kernel, the text, and its operands as values (CUDA documentation, "Inline PTX
Assembly in CUDA"). Out: the values of the operands that the statement writes, or None when the text
is not PTX that can be read; nothing has been emitted then. Operand `%n` becomes a register of the
type its constraint names, an immediate (`n`) its number; `%%` is a percent sign, `%=` a number of
this statement alone. Operations carry the place of the `asm` statement. Registers that a statement
declares outside braces are there for the statements behind it: the caller keeps them. Not handled:
symbolic operand names, vector constraints, numbers of 128 bits, variables that another statement
declares.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ...ir.operations import Exit
from ...ir.types import FLOAT32, FLOAT64, UINT16, UINT32, UINT64
from ...ir.values import Constant, Unknown
from ...source.numbers import integer
from ...source.problem import Damage
from ...source.records import dataclass
from ...source.text import SourceText
from ..syntax.parse import parse_ptx
from .dispatch import Dispatch
from .kernel_lowering import Lowering
from .module import lower_statements
from .module_names import ModuleNames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.builder import Builder
    from ...ir.types import Type
    from ...ir.values import Value
    from ..syntax.tree import Function, Name, Number, PtxModule
    from .frame import Register

_TYPES = {"h": UINT16, "r": UINT32, "l": UINT64, "f": FLOAT32, "d": FLOAT64}
_OPERAND = re.compile(r"%(%|=|\d+)")
_OWN = "%asm_operand_"
_HEAD = ".version 9.0\n.target sm_100a\n.address_size 64\n.func asm_statement()\n{\n"


@dataclass(frozen=True, slots=True)
class InlineOperand:
    """An operand of inline PTX: `value` is what it holds before; None for one only written."""

    constraint: str  # the letter, without `=` and `+`
    value: Value | None
    written: bool = False


def lower_inline(
    builder: Builder,
    text: str,
    operands: Sequence[InlineOperand],
    declared: dict[str, Register],
) -> list[Value] | None:
    """Lower inline PTX; the values of the written operands in order, None when not understood.

    `declared` holds the registers of the statements before, and gets those of this one.
    """
    types = [_TYPES.get(operand.constraint) for operand in operands]
    module = _parse(_substituted(text, operands))
    pairs = zip(types, operands, strict=True)
    if module is None or any(t is None and not isinstance(o.value, Constant) for t, o in pairs):
        return None
    low = _InlineLowering(module, builder)
    for known, earlier in declared.items():
        low.registers[low.names.atoms.name(known)] = earlier
    registers = []
    for index, (operand, type_) in enumerate(zip(operands, types, strict=True)):
        if type_ is None:
            continue
        register = low.frame.make_register(low.names.atoms.name(_register(index)), type_)
        register.name = f"%{index}"  # as the statement calls it
        registers.append((operand, register))
        if operand.value is not None:
            builder.write(register, operand.value)
    lower_statements(low, _DISPATCH)
    low.end()
    declared.update({name.text: one for name, one in low.registers.items() if _lasts(name)})
    return [
        builder.read(register, register.type) for operand, register in registers if operand.written
    ]


class _InlineLowering(Lowering):
    """Lowers into another kernel's builder; every operation stands at the `asm` statement."""

    def __init__(self, module: PtxModule, builder: Builder) -> None:
        function: Function = module.functions[0]
        super().__init__(ModuleNames(module), builder.kernel, function)
        self.builder = builder
        self.last_instruction = len(function.body or ())

    def undeclared(self, name: Name, type: Type) -> Value:
        """A statement that could not be read may have declared it, and stored in it."""
        register = self.frame.make_register(name, type)
        self.builder.write(register, Unknown(type, "a register of another asm statement"))
        return self.builder.read(register, type)

    def locate(self, start: int, end: int) -> None:
        """The place is that of the statement, set by the caller."""

    def end(self) -> None:
        """Close the blocks of labels that are not there."""
        if not self.missing:
            return
        after = self.builder.new_block("after_asm")
        self.builder.jump(after)
        for block, reason in self.missing:
            self.builder.start(block)
            self.builder.terminate(Exit(reason, self.builder.location))
        self.builder.start(after)


def _register(index: int) -> str:
    return f"{_OWN}{index}"


def _lasts(name: Name | Number) -> bool:
    """Whether a register is more than an operand of its statement."""
    return not name.text.startswith(_OWN)


def _substituted(text: str, operands: Sequence[InlineOperand]) -> str:
    """The text as the body of a function, operands by the names of their registers."""

    def name(match: re.Match[str]) -> str:
        if match.group(1) == "%":
            return "%"
        if match.group(1) == "=":
            return "0"  # a number of its own for each statement, which is read for itself here
        index = integer(match.group(1), 10)
        if index is None:
            return match.group()
        if index < len(operands) and operands[index].constraint not in _TYPES:
            value = operands[index].value
            return str(value.value) if isinstance(value, Constant) else match.group()
        return _register(index)

    body = _OPERAND.sub(name, text).strip()
    return body if body.endswith((";", "}")) else f"{body};"


@lru_cache(maxsize=512)
def _parse(body: str) -> PtxModule | None:
    """The statement as a module of one function; None when any of it cannot be read."""
    module = parse_ptx(SourceText("asm", f"{_HEAD}{body}\n}}\n"))
    damaged = any(problem.damage is not Damage.NOTICE for problem in module.problems)
    return None if damaged or len(module.functions) != 1 else module


def _ignore(*_: object) -> None:
    """Unknown opcodes are not worth a note here: the statement is already in the source."""


_DISPATCH = Dispatch(_ignore)
