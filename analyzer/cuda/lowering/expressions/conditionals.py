"""`condition ? one : other`: a value, or the place of one of the arms.

In: a ternary node. Out: the value, by a select where the arms only compute, else by blocks of their
own; or the place that a reference to it names. Not handled: places of arms with effects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir import types as ir
from ....ir.operations import Opcode
from ....ir.values import Constant
from ..model import ctypes
from ..model.ctypes import Form
from ..model.scope import MemoryPlace, Slot, Typed, ValuePlace
from ..program.effects import has_effects
from ..state import unfollowed
from .guarded import is_guarded

if TYPE_CHECKING:
    from ....ir.block import Block
    from ....ir.values import Value
    from ..model.ctypes import CType
    from ..model.scope import Place
    from ..state.context import Context


def ternary(context: Context, node: Any) -> Typed:
    """The value of the arm that the condition of `c ? a : b` names."""
    condition = context.truth(context.expression(node.cond))
    if not is_guarded(context, node.iftrue) and not is_guarded(context, node.iffalse):
        first, second = context.expression(node.iftrue), context.expression(node.iffalse)
        context.at(node)
        return _selected(context, condition, first, second)
    return _by_blocks(context, node, condition)


def _by_blocks(context: Context, node: Any, condition: Value) -> Typed:
    """The value of the arm that control comes to."""
    builder = context.builder
    slot = Slot("?:")
    arms, join = (builder.new_block("then"), builder.new_block("else")), builder.new_block("join")
    builder.branch(condition, *arms, "?:")
    common = ctypes.unknown("auto")
    for arm, branch in zip(arms, (node.iftrue, node.iffalse), strict=True):
        builder.start(arm)
        value = context.expression(branch)
        common = value.type if common.form is Form.UNKNOWN else _common(common, value.type)
        builder.write(slot, context.convert(value, common).value)
        builder.jump(join)
    builder.start(join)
    if common.form is Form.VOID:
        return context.nothing()
    return Typed(builder.read(slot, common.ir()), common)


def chosen(context: Context, node: Any) -> Place:
    """The place of an arm of `?:`, where it is known which, or both are memory of one type."""
    condition = context.truth(context.expression(node.cond))
    if isinstance(condition, Constant):
        return context.place(node.iftrue if condition.value else node.iffalse)
    if has_effects(node.iftrue) or has_effects(node.iffalse):
        return _place_by_blocks(context, node, condition)
    first, second = context.place(node.iftrue), context.place(node.iffalse)
    match first, second:
        case MemoryPlace(), MemoryPlace() if first.type == second.type:
            arms = first.address, second.address
            address = context.builder.compute(Opcode.SELECT, ir.POINTER, condition, *arms)
            return MemoryPlace(address, first.type)
    if is_guarded(context, node.iftrue) or is_guarded(context, node.iffalse):
        value = _by_blocks(context, node, condition)
    else:
        values = context.read(first), context.read(second)
        context.at(node)
        value = _selected(context, condition, *values)
    return unfollowed.one_of(context, value, (first, second))


def _place_by_blocks(context: Context, node: Any, condition: Value) -> Place:
    """The place of the arm that control comes to; what it holds where not both are memory."""
    builder = context.builder
    slot = Slot("?:")
    arms, join = (builder.new_block("then"), builder.new_block("else")), builder.new_block("join")
    builder.branch(condition, *arms, "?:")
    ends: list[Block | None] = []
    places: list[Place] = []
    for arm, branch in zip(arms, (node.iftrue, node.iffalse), strict=True):
        builder.start(arm)
        places.append(context.place(branch))
        ends.append(builder.current)
    first, second = places
    match first, second:
        case MemoryPlace(), MemoryPlace() if first.type == second.type:
            values = [Typed(each.address, ctypes.pointer_to(each.type)) for each in (first, second)]
            place: Place | None = first
        case _:
            values, place = [], None
    common = ctypes.unknown("auto")
    for index, end in enumerate(ends):
        builder.current = end
        onward = builder.new_block("chosen")
        builder.jump(onward)
        builder.start(onward)
        value = values[index] if values else context.read(places[index])
        common = value.type if common.form is Form.UNKNOWN else _common(common, value.type)
        builder.write(slot, context.convert(value, common).value)
        builder.jump(join)
    builder.start(join)
    if common.form is Form.VOID:
        return ValuePlace(context.nothing())
    found = builder.read(slot, common.ir())
    if isinstance(place, MemoryPlace):
        return MemoryPlace(found, place.type)
    return unfollowed.one_of(context, Typed(found, common), (first, second))


def _selected(context: Context, condition: Value, first: Typed, second: Typed) -> Typed:
    common = _common(first.type, second.type)
    a, b = context.convert(first, common), context.convert(second, common)
    if isinstance(condition, Constant):
        return a if condition.value else b
    selected = context.builder.compute(Opcode.SELECT, common.ir(), condition, a.value, b.value)
    return Typed(selected, common)


def _common(first: CType, second: CType) -> CType:
    if first.is_scalar and second.is_scalar and Form.POINTER not in (first.form, second.form):
        return first if first == second else ctypes.arithmetic(first, second)
    return second if first.form is Form.UNKNOWN else first
