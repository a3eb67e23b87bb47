"""Lowers arithmetic, logic and shifts (PTX ISA 9.7.1 to 9.7.5 and 9.7.8).

Integer operations keep the instruction's type. `mul.wide` converts both
operands and multiplies at twice the width; `mad` is a product and a sum. Functions without an
opcode of their own in the IR are `Pure` under their mnemonic. Rounding, `.ftz` and the like are not
kept: no analysis looks at floating-point values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ...ir.operations import Convert, Opcode
from ...ir.types import PREDICATE, UINT32, Kind, Type, integer
from ...ir.values import Constant, Value
from ..syntax.ptx_types import bits

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..syntax.tree import Instruction, Operand
    from .forms import Form
    from .kernel_lowering import Lowering

    Handler: TypeAlias = Callable[[Lowering, Instruction], None]
    Prepare: TypeAlias = Callable[[Form], Handler]

_NEUTRAL = (Opcode.ADD, Opcode.SUB, Opcode.OR, Opcode.XOR)  # with zero, nothing changes
_ARITHMETIC = (Kind.INTEGER, Kind.FLOAT, Kind.PREDICATE)


# ---- one operation -------------------------------------------------------------------------------


def binary(opcode: Opcode) -> Prepare:
    """Lowers `d = a op b` in the type of the PTX instruction."""

    def prepare(form: Form) -> Handler:
        type_ = form.type
        if type_.kind not in _ARITHMETIC or len(form.type_names) > 1:
            return pure(form)
        neutral = opcode in _NEUTRAL

        def lower(low: Lowering, instruction: Instruction) -> None:
            operands = instruction.operands
            if len(operands) != 3:
                return pure_now(low, instruction, form)
            target, first, second = operands
            a, b = low.value(first, type_), low.value(second, type_)
            if neutral and b.__class__ is Constant and b.value == 0:
                return low.assign(target, a)
            return low.assign(target, low.builder.compute(opcode, type_, a, b))

        return lower

    return prepare


def carrying(opcode: Opcode) -> Prepare:
    """`add` and `sub`; with `.cc` they also write the carry flag CC.CF."""
    plain = binary(opcode)

    def prepare(form: Form) -> Handler:
        first = plain(form)
        if not form.has("cc"):
            return first

        def lower(low: Lowering, instruction: Instruction) -> None:
            _, a, b = instruction.operands
            operands = [low.value(a, form.type), low.value(b, form.type)]
            first(low, instruction)
            low.builder.write("CC.CF", low.pure("carry." + form.mnemonic, UINT32, operands))

        return lower

    return prepare


def with_carry(form: Form) -> Handler:
    """`addc`, `subc`, `madc`: the carry flag is one more operand."""

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, *sources = instruction.operands
        operands = [low.value(source, form.type) for source in sources]
        operands.append(low.builder.read("CC.CF", UINT32))
        low.assign(target, low.pure(form.mnemonic, form.type, operands))
        if form.has("cc"):
            low.builder.write("CC.CF", low.pure("carry." + form.mnemonic, UINT32, operands))

    return lower


def shift(opcode: Opcode) -> Prepare:
    """Lowers `shl`, `shr`: the amount is 32 bits wide whatever the type."""

    def prepare(form: Form) -> Handler:
        type_ = form.type

        def lower(low: Lowering, instruction: Instruction) -> None:
            target, a, b = instruction.operands
            value = low.builder.compute(opcode, type_, low.value(a, type_), low.value(b, UINT32))
            low.assign(target, value)

        return lower

    return prepare


def unary(opcode: Opcode) -> Prepare:
    """Lowers `d = op a` in PTX."""

    def prepare(form: Form) -> Handler:
        type_ = form.type
        if type_.kind not in _ARITHMETIC:
            return pure(form)

        def lower(low: Lowering, instruction: Instruction) -> None:
            target, a = instruction.operands
            low.assign(target, low.builder.compute(opcode, type_, low.value(a, type_)))

        return lower

    return prepare


def pure(form: Form) -> Handler:
    """Lowers a PTX instruction to a function of its operands under its mnemonic."""

    def lower(low: Lowering, instruction: Instruction) -> None:
        pure_now(low, instruction, form)

    return lower


def pure_now(low: Lowering, instruction: Instruction, form: Form) -> None:
    """Lower a PTX instruction: the first operand is the destination, all others are read."""
    if not instruction.operands:
        return low.opaque(f"{form.text} without operands")
    target, *sources = instruction.operands
    result = form.types[0] if form.types else UINT32
    source = form.type
    values = [value for operand in sources for value in low.values(operand, source)]
    if form.mnemonic == "wgmma":
        values += _accumulators(low, instruction, result)
    return low.assign_parts(target, result, pure_name(form), values, form.function)


def _accumulators(low: Lowering, instruction: Instruction, type_: Type) -> list[Value]:
    """What a product of a warpgroup is added to: its destination, where `scale-d` says so."""
    target, *sources = instruction.operands
    if len(sources) < 3:
        return low.values(target, type_)
    scale = low.value(sources[2], PREDICATE)
    if isinstance(scale, Constant) and not scale.value:
        return []
    values = low.values(target, type_)
    if isinstance(scale, Constant):
        return values
    compute, zero = low.builder.compute, low.builder.constant(0, type_)
    return [compute(Opcode.SELECT, type_, scale, each, zero) for each in values]


def pure_name(form: Form) -> str:
    """What a PTX instruction is called in the IR: its mnemonic, and what tells variants apart."""
    if form.mnemonic in _VARIANTS and form.modifiers:
        return f"{form.mnemonic}.{form.modifiers[0]}"
    return form.mnemonic


_VARIANTS = frozenset({"shf", "mul24", "mad24", "testp", "isspacep", "istypep", "wgmma", "tcgen05"})


# ---- products ------------------------------------------------------------------------------------


def widened(low: Lowering, operand: Operand, narrow: Type, wide: Type) -> Value:
    """An operand of a PTX instruction extended to twice its width."""
    value = low.value(operand, narrow)
    if isinstance(value, Constant):
        return low.builder.constant(value.value, wide)
    return low.builder.emit(Convert(wide, value, low.builder.location, narrow))


def multiply(form: Form) -> Handler:
    """`mul.lo`, `mul.hi`, `mul.wide`, and products of floats."""
    type_ = form.type
    if form.has("wide"):
        wide = integer(2 * bits(type_), signed=type_.signed)

        def lower(low: Lowering, instruction: Instruction) -> None:
            target, a, b = instruction.operands
            product = low.builder.compute(
                Opcode.MUL, wide, widened(low, a, type_, wide), widened(low, b, type_, wide)
            )
            low.assign(target, product)

        return lower
    return binary(Opcode.MUL_HIGH if form.has("hi") else Opcode.MUL)(form)


def multiply_add(form: Form) -> Handler:
    """`mad.lo`, `mad.hi`, `mad.wide`; of floats, `mad` is `fma`."""
    type_ = form.type
    if type_.kind is not Kind.INTEGER or form.has("sat"):
        return pure(form)
    wide = integer(2 * bits(type_), signed=type_.signed) if form.has("wide") else type_
    opcode = Opcode.MUL_HIGH if form.has("hi") else Opcode.MUL

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, a, b, c = instruction.operands
        if wide is type_:
            factors = [low.value(a, type_), low.value(b, type_)]
        else:
            factors = [widened(low, a, type_, wide), widened(low, b, type_, wide)]
        product = low.builder.compute(opcode, wide, *factors)
        low.assign(target, low.builder.compute(Opcode.ADD, wide, product, low.value(c, wide)))
        if form.has("cc"):
            low.builder.write("CC.CF", low.pure("carry.mad", UINT32, [product]))

    return lower


HANDLERS: dict[str, Prepare] = {
    "add": carrying(Opcode.ADD),
    "sub": carrying(Opcode.SUB),
    "addc": with_carry,
    "subc": with_carry,
    "madc": with_carry,
    "mul": multiply,
    "mad": multiply_add,
    "div": binary(Opcode.DIV),
    "rem": binary(Opcode.REM),
    "min": binary(Opcode.MIN),
    "max": binary(Opcode.MAX),
    "abs": unary(Opcode.ABS),
    "neg": unary(Opcode.NEG),
    "not": unary(Opcode.NOT),
    "and": binary(Opcode.AND),
    "or": binary(Opcode.OR),
    "xor": binary(Opcode.XOR),
    "shl": shift(Opcode.SHL),
    "shr": shift(Opcode.SHR),
}
