"""Lowers arithmetic, comparison, selection, logic, shift, data movement and conversion.

PTX ISA 9.7.1 to 9.7.9. Integer operations keep the instruction's type. `mul.wide` converts both
operands and multiplies at twice the width; `mad` is a product and a sum. Functions without an
opcode of their own in the IR are `Pure` under their mnemonic. Rounding, `.ftz` and the like are not
kept: no analysis looks at floating-point values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ..ir.operations import Convert, Opcode
from ..ir.types import PREDICATE, UINT32, UINT64, Kind, Type, integer
from ..ir.values import Constant, Value
from .ptx_types import bits
from .syntax import Name, Pair, Vector

if TYPE_CHECKING:
    from collections.abc import Callable

    from .forms import Form
    from .kernel_lowering import Lowering
    from .syntax import Instruction, Operand

    Handler: TypeAlias = Callable[[Lowering, Instruction], None]
    Prepare: TypeAlias = Callable[[Form], Handler]

_ARITHMETIC = (Kind.INTEGER, Kind.FLOAT, Kind.PREDICATE)


# ---- one operation -------------------------------------------------------------------------------


def binary(opcode: Opcode) -> Prepare:
    """`d = a op b` in the type of the instruction."""

    def prepare(form: Form) -> Handler:
        type_ = form.type
        if type_.kind not in _ARITHMETIC or len(form.type_names) > 1:
            return pure(form)

        def lower(low: Lowering, instruction: Instruction) -> None:
            operands = instruction.operands
            if len(operands) != 3:
                return pure_now(low, instruction, form)
            target, a, b = operands
            value = low.builder.compute(opcode, type_, low.value(a, type_), low.value(b, type_))
            return low.assign(target, value)

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
    """`shl`, `shr`: the amount is 32 bits wide whatever the type."""

    def prepare(form: Form) -> Handler:
        type_ = form.type

        def lower(low: Lowering, instruction: Instruction) -> None:
            target, a, b = instruction.operands
            value = low.builder.compute(opcode, type_, low.value(a, type_), low.value(b, UINT32))
            low.assign(target, value)

        return lower

    return prepare


def unary(opcode: Opcode) -> Prepare:
    """`d = op a`."""

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
    """A function of its operands under its mnemonic."""

    def lower(low: Lowering, instruction: Instruction) -> None:
        pure_now(low, instruction, form)

    return lower


def pure_now(low: Lowering, instruction: Instruction, form: Form) -> None:
    """The first operand is the destination, all others are read."""
    if not instruction.operands:
        return low.opaque(f"{form.text} without operands")
    target, *sources = instruction.operands
    result = form.types[0] if form.types else UINT32
    source = form.type
    values = [value for operand in sources for value in low.values(operand, source)]
    return low.assign_parts(target, result, pure_name(form), values)


def pure_name(form: Form) -> str:
    """The name of a function in the IR: the mnemonic, with the word that tells variants apart."""
    if form.mnemonic in _VARIANTS and form.modifiers:
        return f"{form.mnemonic}.{form.modifiers[0]}"
    return form.mnemonic


_VARIANTS = frozenset({"shf", "mul24", "mad24", "testp", "isspacep", "istypep", "wgmma", "tcgen05"})


# ---- products ------------------------------------------------------------------------------------


def widened(low: Lowering, operand: Operand, narrow: Type, wide: Type) -> Value:
    """An operand extended to twice its width."""
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


# ---- comparison and selection (9.7.6) ------------------------------------------------------------

_ORDERED = {
    "eq": Opcode.EQ,
    "ne": Opcode.NE,
    "lt": Opcode.LT,
    "le": Opcode.LE,
    "gt": Opcode.GT,
    "ge": Opcode.GE,
    "lo": Opcode.LT,
    "ls": Opcode.LE,
    "hi": Opcode.GT,
    "hs": Opcode.GE,
    "neu": Opcode.NE,
}
# An unordered comparison holds when the opposite ordered one does not.
_OPPOSITE = {"ltu": Opcode.GE, "leu": Opcode.GT, "gtu": Opcode.LE, "geu": Opcode.LT}
_COMBINE = {"and": Opcode.AND, "or": Opcode.OR, "xor": Opcode.XOR}


def compared(low: Lowering, form: Form, a: Value, b: Value) -> Value:
    """The outcome of the form's comparison."""
    word, type_ = form.modifiers[0], form.type
    if word in _OPPOSITE:
        opposite = low.builder.compare(_OPPOSITE[word], type_, a, b)
        return low.builder.compute(Opcode.NOT, PREDICATE, opposite)
    if word in ("lo", "ls", "hi", "hs") and type_.kind is Kind.INTEGER:
        type_ = integer(bits(type_), signed=False)
    float_ne = word == "ne" and type_.kind is Kind.FLOAT
    opcode = None if float_ne or type_.kind is Kind.AGGREGATE else _ORDERED.get(word)
    if opcode is None:
        return low.pure(f"{form.mnemonic}.{word}", PREDICATE, [a, b])
    return low.builder.compare(opcode, type_, a, b)


def set_predicate(form: Form) -> Handler:
    """`setp.cmp{.bool}.type p|q, a, b{, c}`: q gets the opposite outcome."""
    type_ = form.type
    combine = next((_COMBINE[m] for m in form.modifiers[1:2] if m in _COMBINE), None)

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, a, b, *third = instruction.operands
        outcome = compared(low, form, low.value(a, type_), low.value(b, type_))
        also = low.value(third[0], PREDICATE) if third else None
        first: Operand = target
        if isinstance(target, Pair):
            first, second = target
            opposite = low.builder.compute(Opcode.NOT, PREDICATE, outcome)
            if also is not None and combine is not None:
                opposite = low.builder.compute(combine, PREDICATE, opposite, also)
            low.assign(second, opposite)
        if also is not None and combine is not None:
            outcome = low.builder.compute(combine, PREDICATE, outcome, also)
        low.assign(first, outcome)

    return lower


def set_number(form: Form) -> Handler:
    """`set.cmp.dtype.stype d, a, b{, c}`: all ones (1.0 for floats) or zero."""
    if len(form.types) < 2 or form.types[0].kind is Kind.AGGREGATE:
        return pure(form)
    result, type_ = form.types[0], form.type
    combine = next((_COMBINE[m] for m in form.modifiers[1:2] if m in _COMBINE), None)
    true: int | float = 1.0 if result.kind is Kind.FLOAT else -1
    false: int | float = 0.0 if result.kind is Kind.FLOAT else 0

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, a, b, *third = instruction.operands
        outcome = compared(low, form, low.value(a, type_), low.value(b, type_))
        if third and combine is not None:
            also = low.value(third[0], PREDICATE)
            outcome = low.builder.compute(combine, PREDICATE, outcome, also)
        yes, no = low.builder.constant(true, result), low.builder.constant(false, result)
        low.assign(target, low.builder.compute(Opcode.SELECT, result, outcome, yes, no))

    return lower


def select_predicate(form: Form) -> Handler:
    """`selp.type d, a, b, p`."""
    type_ = form.type

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, a, b, p = instruction.operands
        chosen = low.builder.compute(
            Opcode.SELECT,
            type_,
            low.value(p, PREDICATE),
            low.value(a, type_),
            low.value(b, type_),
        )
        low.assign(target, chosen)

    return lower


def select_sign(form: Form) -> Handler:
    """`slct.dtype.ctype d, a, b, c`: a where c >= 0."""
    if len(form.types) < 2:
        return pure(form)
    result, type_ = form.types[0], form.type

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, a, b, c = instruction.operands
        zero = low.builder.constant(0.0 if type_.kind is Kind.FLOAT else 0, type_)
        positive = low.builder.compare(Opcode.GE, type_, low.value(c, type_), zero)
        chosen = low.builder.compute(
            Opcode.SELECT, result, positive, low.value(a, result), low.value(b, result)
        )
        low.assign(target, chosen)

    return lower


# ---- movement and conversion (9.7.9) -------------------------------------------------------------


def move(form: Form) -> Handler:
    """`mov`: a copy, or packing and unpacking of a vector."""
    type_ = form.type

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, source = instruction.operands
        if isinstance(source, Vector) and len(source.elements) > 1:
            low.assign(target, _packed(low, source, type_))
        elif isinstance(target, Vector) and len(target.elements) > 1:
            _unpack(low, target, low.value(source, type_), type_)
        else:
            low.assign(target, low.value(source, type_))

    return lower


def _packed(low: Lowering, source: Vector, type_: Type) -> Value:
    """Elements side by side, the first lowest."""
    count = len(source.elements)
    part = integer_or_none(bits(type_) // count)
    if part is None or type_.kind is not Kind.INTEGER:
        return low.pure("pack", type_, [low.value(e, UINT32) for e in source.elements])
    total: Value | None = None
    for index, element in enumerate(source.elements):
        wide = widened(low, element, part, type_)
        if index:
            amount = Constant(UINT32, index * bits(part))
            wide = low.builder.compute(Opcode.SHL, type_, wide, amount)
        total = wide if total is None else low.builder.compute(Opcode.OR, type_, total, wide)
    assert total is not None
    return total


def _unpack(low: Lowering, target: Vector, value: Value, type_: Type) -> None:
    count = len(target.elements)
    part = integer_or_none(bits(type_) // count)
    for index, element in enumerate(target.elements):
        if isinstance(element, Name) and element.text == "_":
            continue
        if part is None or type_.kind is not Kind.INTEGER:
            low.assign(element, low.pure(f"unpack.{index}", UINT32, [value]))
            continue
        shifted = value
        if index:
            amount = Constant(UINT32, index * bits(part))
            shifted = low.builder.compute(Opcode.SHR, type_, value, amount)
        low.assign(element, convert(low, shifted, type_, part))


def integer_or_none(width: int) -> Type | None:
    """The unsigned type of a width, when there is one."""
    return integer(width, signed=False) if width in (8, 16, 32, 64, 128) else None


def convert(low: Lowering, value: Value, source: Type, target: Type) -> Value:
    """A value of one type as another; constants are converted now."""
    integers = target.kind is Kind.INTEGER and source.kind is Kind.INTEGER
    if integers and isinstance(value, Constant) and isinstance(value.value, int):
        return low.builder.constant(low.builder.constant(value.value, source).value, target)
    return low.builder.emit(Convert(target, value, low.builder.location, source))


_ROUNDING = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}


def convert_type(form: Form) -> Handler:
    """`cvt`: a conversion; between equal types, rounding or saturation by name."""
    types = form.types
    if len(types) != 2 or any(t.kind not in (Kind.INTEGER, Kind.FLOAT) for t in types):
        return pure(form)
    target_type, source_type = types
    rounding = next((_ROUNDING[m] for m in form.modifiers if m in _ROUNDING), "")
    same = target_type == source_type
    wider = bits(target_type) >= bits(source_type)
    harmless = target_type.kind is Kind.FLOAT or (wider and source_type.kind is Kind.INTEGER)
    saturating = form.has("sat") and not (harmless and target_type.signed == source_type.signed)

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, a = instruction.operands
        value = low.value(a, source_type)
        if same and target_type.kind is Kind.FLOAT:
            if rounding or form.has("sat"):
                value = low.pure(rounding or "saturate", target_type, [value])
        elif saturating and source_type.kind is Kind.INTEGER:
            value = low.pure("cvt.sat", target_type, [value])
        elif not same or bits(source_type) < 32:
            value = convert(low, value, source_type, target_type)
        low.assign(target, value)

    return lower


def convert_address(form: Form) -> Handler:
    """`cvta`: an address in another space is the same address here; accesses keep the space."""
    type_ = UINT64 if form.has("u64") else UINT32

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, a = instruction.operands
        low.assign(target, low.address(a) if type_ is UINT64 else low.value(a, type_))

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
    "setp": set_predicate,
    "set": set_number,
    "selp": select_predicate,
    "slct": select_sign,
    "mov": move,
    "cvt": convert_type,
    "cvta": convert_address,
}
