"""Lowers bit field and logic instructions whose meaning can be said in plain operations.

PTX ISA 9.7.1.19 ff. and 9.7.8: `bfe`, `bfi` with constant position and length, and `lop3` with the
tables that compilers write become masks, shifts and logic, since addresses are often computed with
them (swizzles, packed indices). Everything else is `Pure`.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations, product
from typing import TYPE_CHECKING, TypeAlias

from ...ir.operations import Opcode
from ...ir.types import PREDICATE, UINT32
from ...ir.values import Constant, whole_number
from ..syntax.ptx_types import bits
from ..syntax.tree import Pair
from .arithmetic import pure_now

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...ir.values import Value
    from ..syntax.tree import Instruction
    from .arithmetic import Handler, Prepare
    from .forms import Form
    from .kernel_lowering import Lowering


def extract_field(form: Form) -> Handler:
    """`bfe.type d, a, position, length`."""
    type_ = form.type
    width = bits(type_)

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, a, b, c = instruction.operands
        position, length = _count(low.value(b, UINT32)), _count(low.value(c, UINT32))
        if position is None or length is None or not 0 < length <= width - position:
            return pure_now(low, instruction, form)
        value = low.value(a, type_)
        compute = low.builder.compute
        if type_.signed:
            up = Constant(UINT32, width - position - length)
            raised = compute(Opcode.SHL, type_, value, up)
            value = compute(Opcode.SHR, type_, raised, Constant(UINT32, width - length))
        else:
            if position:
                value = compute(Opcode.SHR, type_, value, Constant(UINT32, position))
            if length < width - position:
                value = compute(Opcode.AND, type_, value, Constant(type_, (1 << length) - 1))
        return low.assign(target, value)

    return lower


def insert_field(form: Form) -> Handler:
    """`bfi.type d, a, b, position, length`: a goes into b."""
    type_ = form.type
    width = bits(type_)

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, a, b, c, d = instruction.operands
        position, length = _count(low.value(c, UINT32)), _count(low.value(d, UINT32))
        if position is None or length is None or not 0 < length <= width - position:
            return pure_now(low, instruction, form)
        compute, constant = low.builder.compute, low.builder.constant
        mask = (1 << length) - 1
        field = compute(Opcode.AND, type_, low.value(a, type_), constant(mask, type_))
        if position:
            field = compute(Opcode.SHL, type_, field, Constant(UINT32, position))
        rest = constant(~(mask << position), type_)
        kept = compute(Opcode.AND, type_, low.value(b, type_), rest)
        return low.assign(target, compute(Opcode.OR, type_, field, kept))

    return lower


def _count(value: Value) -> int | None:
    number = whole_number(value)
    return None if number is None else number & 0xFF


_LOGIC: dict[Opcode, Callable[[int, int], int]] = {
    Opcode.AND: lambda a, b: a & b,
    Opcode.OR: lambda a, b: a | b,
    Opcode.XOR: lambda a, b: a ^ b,
}
Recipe: TypeAlias = tuple[Opcode, Opcode, tuple[int, ...], tuple[bool, ...]]
_INPUTS = (0xF0, 0xCC, 0xAA)  # the truth tables of a, b and c (PTX ISA, "lop3")


@cache
def logic_tables() -> dict[int, Recipe]:
    """Tables of `lop3` that are `(x op y) op z`, inputs perhaps negated, and how to build them."""
    known: dict[int, Recipe] = {}
    for negated in product((False, True), repeat=3):
        for order in permutations(range(3)):
            x, y, z = (
                _INPUTS[i] ^ (0xFF if flip else 0) for i, flip in zip(order, negated, strict=True)
            )
            for first, second in product(_LOGIC, repeat=2):
                table = _LOGIC[second](_LOGIC[first](x, y), z)
                known.setdefault(table, (first, second, order, negated))
    return known


def logic_of_three(form: Form) -> Handler:
    """`lop3{.bool}.b32 d{|p}, a, b, c, table{, q}`."""

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, *rest = instruction.operands
        table = low.value(rest[3], UINT32) if len(rest) > 3 else None
        if not isinstance(table, Constant) or not isinstance(table.value, int):
            return pure_now(low, instruction, form)
        inputs = [low.value(operand, UINT32) for operand in rest[:3]]
        value = logic_value(low, table.value & 0xFF, inputs)
        if isinstance(target, Pair):
            nonzero = low.builder.compare(Opcode.NE, UINT32, value, Constant(UINT32, 0))
            if len(rest) > 4:
                opcode = Opcode.AND if form.has("and") else Opcode.OR
                also = low.value(rest[4], PREDICATE)
                nonzero = low.builder.compute(opcode, PREDICATE, nonzero, also)
            low.assign(target.second, nonzero)
            return low.assign(target.first, value)
        return low.assign(target, value)

    return lower


def logic_value(low: Lowering, table: int, inputs: list[Value]) -> Value:
    """The value that the truth table of `lop3` makes of three inputs."""
    compute = low.builder.compute
    if table in (0x00, 0xFF):
        return Constant(UINT32, 0 if table == 0 else 0xFFFFFFFF)
    for index, column in enumerate(_INPUTS):
        if table == column:
            return inputs[index]
        if table == column ^ 0xFF:
            return compute(Opcode.NOT, UINT32, inputs[index])
    for opcode, function in _LOGIC.items():
        for i, j in ((0, 1), (0, 2), (1, 2)):
            if table == function(_INPUTS[i], _INPUTS[j]):
                return compute(opcode, UINT32, inputs[i], inputs[j])
    recipe = logic_tables().get(table)
    if recipe is None:
        return low.pure(f"lop3.{table:#04x}", UINT32, inputs)
    first, second, order, negated = recipe
    x, y, z = (
        compute(Opcode.NOT, UINT32, inputs[i]) if flip else inputs[i]
        for i, flip in zip(order, negated, strict=True)
    )
    return compute(second, UINT32, compute(first, UINT32, x, y), z)


HANDLERS: dict[str, Prepare] = {
    "bfe": extract_field,
    "bfi": insert_field,
    "lop3": logic_of_three,
}
