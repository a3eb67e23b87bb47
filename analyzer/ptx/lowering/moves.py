"""Lowers `mov`, `cvt` and `cvta` (PTX ISA 9.7.9).

`mov` copies, or packs and unpacks vectors with shifts and masks. `cvt` is a conversion; rounding
between equal types and saturation are functions by name. `cvta` copies: an address in another space
is the same address to the IR, and every access carries the space of its instruction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Convert, Opcode
from ...ir.types import UINT32, UINT64, Kind, Type, integer
from ...ir.values import Constant, Value
from ..syntax.ptx_types import bits
from ..syntax.tree import Name, Vector
from .arithmetic import pure, widened

if TYPE_CHECKING:
    from ..syntax.tree import Instruction
    from .arithmetic import Handler, Prepare
    from .forms import Form
    from .kernel_lowering import Lowering


def move(form: Form) -> Handler:
    """`mov`: a copy, or packing and unpacking of a vector."""
    type_ = form.type

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, source = instruction.operands
        targets, sources = low.elements(target), low.elements(source)
        if targets and sources and form.vector > 1:
            values = [low.value(one, type_) for one in sources]
            for one, value in zip(targets, values, strict=False):
                low.assign(one, value)
        elif isinstance(source, Vector) and len(source.elements) > 1:
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
    """The unsigned type of a width in PTX, when there is one."""
    return integer(width, signed=False) if width in (8, 16, 32, 64, 128) else None


def convert(low: Lowering, value: Value, source: Type, target: Type) -> Value:
    """A value of one PTX type as another; constants are converted now."""
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
    "mov": move,
    "cvt": convert_type,
    "cvta": convert_address,
}
