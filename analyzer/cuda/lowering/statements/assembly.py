"""Inline PTX: `asm` statements with their operands bound to the expressions of the source.

The text goes through the PTX front end (`analyzer/ptx/lowering/inline.py`) into the kernel being
built, so that its loads, copies, barriers and shuffles are what they would be in PTX; it is
imported by the first `asm` of a run. What it does not understand is opaque: it may do anything, and
its outputs are functions of its inputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model import ctypes
from ..model.scope import Typed

if TYPE_CHECKING:
    from ....ir.values import Value
    from ....ptx.lowering.inline import InlineOperand
    from ..model.scope import Place
    from ..state.context import Context


def lower(context: Context, node: Any) -> None:
    """Lower one `asm` statement in CUDA C++."""
    from ....ptx.lowering.inline import InlineOperand, lower_inline

    outputs = [context.place(operand.expression) for operand in node.outputs or ()]
    operands = [
        _output(context, operand.constraint, place)
        for operand, place in zip(node.outputs or (), outputs, strict=True)
    ]
    for operand in node.inputs or ():
        value = context.expression(operand.expression).value
        operands.append(InlineOperand(operand.constraint.strip('"&%'), value))
    if not node.template.strip():  # it only keeps the compiler from moving what stands around it
        for operand, place in zip(node.outputs or (), outputs, strict=True):
            if "+" not in operand.constraint:
                context.write(place, context.unknown(place.type, "an output of no instruction"))
        return
    context.at(node, assembly=True)
    results = lower_inline(context.builder, node.template, operands, context.assembly)
    context.at(node)
    if results is None:
        _opaque(context, outputs, operands)
        return
    for place, result in zip(outputs, results, strict=True):
        context.write(place, Typed(result, _register_type(result, place.type)))
        context.at(node)


def _output(context: Context, constraint: str, place: Place) -> InlineOperand:
    from ....ptx.lowering.inline import InlineOperand

    before = context.read(place).value if "+" in constraint else None
    return InlineOperand(constraint.strip('"=+&%'), before, written=True)


def _register_type(value: Value, wanted: ctypes.CType) -> ctypes.CType:
    """The C++ type of what a register holds: the variable's own when its bits fit."""
    if wanted.is_scalar and wanted.ir().bits == value.type.bits:
        return wanted
    size = value.type.width
    return ctypes.ULONG if size == 8 else ctypes.UINT


def _opaque(context: Context, outputs: list[Place], operands: list[InlineOperand]) -> None:
    values = [operand.value for operand in operands if operand.value is not None]
    context.opaque("inline PTX that could not be parsed", values)
    for place in outputs:
        context.write(place, context.unknown(place.type, "written by inline PTX"))
