"""Inline PTX, seen from outside: what it may touch, without looking into its instructions.

Outputs become functions of the inputs. Text that names memory, barriers or branches, or that
clobbers "memory", is opaque: it may do anything. Reads of one special register are understood.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...ir import types as ir
from ...ir.operations import Barrier, BarrierKind
from ...ir.values import Special, SpecialRegister
from . import ctypes
from .scope import Typed

if TYPE_CHECKING:
    from .context import Context

_SPECIAL = re.compile(r"^\s*mov\.u(?:32|64)\s+%0\s*,\s*%{1,2}([a-z_.]+)\s*;?\s*$")
_TOUCHES = re.compile(
    r"\b(st|ld|atom|red|bar|barrier|cp|mbarrier|membar|fence|bra|call|ret|exit|wgmma|tcgen05"
    r"|ldmatrix|stmatrix|prefetch|griddepcontrol|setmaxnreg|discard|applypriority)\b"
)
_BARRIER = re.compile(r"^\s*bar(?:rier)?\.sync(?:\.aligned)?\s+0\s*;\s*$")
_KNOWN = {register.value: register for register in Special}


def lower(context: Context, node: Any) -> None:
    """One asm statement."""
    inputs = [context.expression(operand.expression) for operand in node.inputs or ()]
    context.at(node)
    special = _SPECIAL.match(node.template)
    if special is not None and len(node.outputs or ()) == 1:
        register = _KNOWN.get(special.group(1), Special.OTHER)
        place = context.place(node.outputs[0].expression)
        context.at(node)
        value = SpecialRegister(ir.UINT32, register, special.group(1))
        context.write(place, Typed(value, place.type))
        return
    if _BARRIER.match(node.template):
        context.builder.emit(Barrier(BarrierKind.BLOCK, "bar.sync 0", context.builder.location))
        return
    operands = [value.value for value in inputs]
    if "%%" in node.template:
        registers = context.unknown(ctypes.UINT, "inline PTX that reads special registers")
        operands.append(registers.value)
    if _TOUCHES.search(node.template) or "memory" in (node.clobbers or ()):
        context.opaque("inline PTX that touches memory or synchronises", operands)
    for output in node.outputs or ():
        place = context.place(output.expression)
        given = list(operands)
        if output.constraint.startswith("+"):
            given.append(context.read(place).value)
        context.at(node)
        context.write(place, context.pure("asm", given, place.type))
