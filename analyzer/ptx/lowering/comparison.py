"""Lowers comparisons and selections (PTX ISA 9.7.6 and 9.7.7).

`setp` is a comparison whose `compared` type is the instruction's; with a second predicate both
outcomes are combined with it. Unordered comparisons of floats are negations of ordered ones; those
the IR has no word for (`num`, `nan`, packed halves, an ordered `ne`) are `Pure`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Opcode, Operation
from ...ir.types import PREDICATE, Kind, integer
from ...ir.values import Constant
from ..syntax.ptx_types import bits
from ..syntax.tree import Pair
from .arithmetic import pure

if TYPE_CHECKING:
    from ...ir.values import Value
    from ..syntax.tree import Instruction, Operand
    from .arithmetic import Handler, Prepare
    from .forms import Form
    from .kernel_lowering import Lowering

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
    """The outcome of the comparison that the form of a PTX instruction says."""
    word, type_ = form.modifiers[0], form.type
    if word in _OPPOSITE:
        opposite = low.builder.compare(_OPPOSITE[word], type_, a, b)
        return low.builder.compute(Opcode.NOT, PREDICATE, opposite)
    if word in ("lo", "ls", "hi", "hs") and type_.kind is Kind.INTEGER:
        type_ = integer(bits(type_), signed=False)
    float_ne = word == "ne" and type_.kind is Kind.FLOAT
    opcode = None if float_ne or type_.kind is Kind.AGGREGATE else _ORDERED.get(word)
    behind = _predicate_behind(a, b) if opcode in (Opcode.NE, Opcode.EQ) else None
    if behind is not None:
        if opcode is Opcode.NE:
            return behind
        return low.builder.compute(Opcode.NOT, PREDICATE, behind)
    if opcode is None:
        return low.pure(f"{form.mnemonic}.{word}", PREDICATE, [a, b])
    return low.builder.compare(opcode, type_, a, b)


def _predicate_behind(a: Value, b: Value) -> Value | None:
    """The predicate p of `(p ? 1 : 0)` compared with 0, as CUDA's votes hand predicates around."""
    if not isinstance(b, Constant) or b.value != 0:
        return None
    if not isinstance(a, Operation) or a.opcode is not Opcode.SELECT:
        return None
    predicate, yes, no = a.operands
    if isinstance(yes, Constant) and isinstance(no, Constant) and yes.value and not no.value:
        return predicate
    return None


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


HANDLERS: dict[str, Prepare] = {
    "setp": set_predicate,
    "set": set_number,
    "selp": select_predicate,
    "slct": select_sign,
}
