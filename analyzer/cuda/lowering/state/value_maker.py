"""Values that the lowering makes up: constants, what is not known, calls that are not looked into.

In: C++ types and reasons. Out: typed values, emitted at the place that is being lowered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir import types as ir
from ....ir.operation_kinds import Function
from ....ir.operations import Call, OpaqueOperation, Opcode, Pure
from ....ir.values import Undefined, Unknown, UnknownSize
from ...names.cuda_functions import ALLOCATING, RELEASING
from ..model import ctypes
from ..model.ctypes import Form
from ..model.layouts import offset_of
from ..model.scope import LambdaValue, Typed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....ir.builder import Builder
    from ....ir.values import Value
    from ..model.ctypes import CType, Member
    from ..model.scope import FieldPlace


class ValueMaker:
    """What makes values for one kernel."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.sizes: dict[str, Unknown] = {}

    def unknown(self, type: CType, reason: str, *, per_thread: bool = True) -> Typed:
        """A value nothing is known of."""
        return Typed(Unknown(type.ir(), reason, per_thread=per_thread), type)

    def constant(self, value: int | float, type: CType = ctypes.INT) -> Typed:
        """A constant of a C++ type."""
        return Typed(self.builder.constant(value, type.ir()), type)

    def fitted(self, value: Typed, bits: int | None) -> Typed:
        """What a bit-field holds of a value: its lowest bits, with the sign that they make."""
        type, size = value.type, value.type.size
        if bits is None or size is None or type.form is not Form.INTEGER or bits >= 8 * size:
            return value
        if not type.signed:
            mask = self.builder.constant((1 << bits) - 1, type.ir())
            return Typed(self.builder.compute(Opcode.AND, type.ir(), value.value, mask), type)
        distance = self.builder.constant(8 * size - bits, ir.INT32)
        high = self.builder.compute(Opcode.SHL, type.ir(), value.value, distance)
        return Typed(self.builder.compute(Opcode.SHR, type.ir(), high, distance), type)

    def nothing(self) -> Typed:
        """The value of an expression that has none."""
        return Typed(Unknown(ir.VOID, "no value"), ctypes.VOID)

    def opaque(self, reason: str, operands: list[Value] | None = None) -> None:
        """Something that may do anything."""
        self.builder.emit(OpaqueOperation(reason, operands or [], self.builder.location))

    def pure(self, what: Function | str, operands: list[Value], type: CType) -> Typed:
        """A function of its operands alone: one that analyses know, or a name for messages."""
        function = what if isinstance(what, Function) else Function.OTHER
        name = what.value if isinstance(what, Function) else what
        return self.named(name, operands, type, function)

    def named(self, name: str, operands: list[Value], type: CType, function: Function) -> Typed:
        """A function of its operands alone that has a name of its own as well."""
        operation = Pure(name, type.ir(), operands, self.builder.location, function)
        return Typed(self.builder.emit(operation), type)

    def call(self, callee: str, type: CType, arguments: list[Typed], reason: str) -> Typed:
        """A call that is not looked into."""
        operands = [argument.value for argument in arguments]
        operation = Call(callee, type.ir(), operands, self.builder.location, reason)
        operation.allocates, operation.releases = callee in ALLOCATING, callee in RELEASING
        operation.captures = any(isinstance(each.type.origin, LambdaValue) for each in arguments)
        return Typed(self.builder.emit(operation), type)

    def size_of(self, type: CType) -> Value:
        """The size of a type as a value; one grid-uniform unknown per type not known."""
        if type.size is not None:
            return self.builder.constant(type.size, ir.INT64)
        if type.form is ctypes.Form.ARRAY and type.element is not None and type.extent:
            extent = self.builder.constant(type.extent, ir.INT64)
            return self.builder.compute(Opcode.MUL, ir.INT64, self.size_of(type.element), extent)
        return self.sizes.setdefault(type.name, UnknownSize(ir.INT64, type.name))


def part_of(whole: Unknown, type: CType) -> Typed:
    """A member of an object that is not known."""
    made = Undefined if isinstance(whole, Undefined) else Unknown
    return Typed(made(type.ir(), whole.reason, per_thread=whole.per_thread), type)


def nameless(held: Typed, whole: CType) -> Typed:
    """A member that goes somewhere with its whole object: whether it was written is nobody's
    concern, who gets the object may only read others.
    """
    if isinstance(held.value, Undefined):
        return part_of(
            Undefined(whole.ir(), f"a member of {whole.name} is not initialised"), held.type
        )
    return held


def operand_at(
    place: FieldPlace, members: Sequence[Member], operands: Sequence[Value]
) -> Value | None:
    """The operand of a class value that is the member at a place: of its type, or alone there."""
    offsets = [offset_of(index, each) for index, each in enumerate(members)]
    alone = offsets.count(place.offset) == 1
    for offset, operand in zip(offsets, operands, strict=False):
        untyped = alone and operand.type.kind is ir.Kind.UNKNOWN
        if offset == place.offset and (untyped or operand.type == place.type.ir()):
            return operand
    return None
