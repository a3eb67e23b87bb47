"""Loops over a range: `for (auto &x : values) body`.

In: a RangeFor node, and what lowers the body. Out: the loop that the C++ standard, [stmt.ranged],
says it stands for: over an array by a pointer, over a class by what its `begin()` and `end()`
return, with their operators, over a list in braces (`for (int k : {a, b})`) its elements one after
the other. Over anything else it is a loop of unknown length over elements of
unknown place. Not handled: `begin` and `end` that are free functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax import nodes
from ...syntax.nodes import declares_reference
from ...syntax.nodes.c_ast import c_ast
from ..expressions import casts
from ..expressions.initialisers import initial_items
from ..model import ctypes
from ..model.ctypes import Form
from ..model.scope import MemoryPlace, Scope, Slot, Typed, ValuePlace, VariablePlace
from ..operators import overloads
from ..operators.operators import operate
from ..resolution.methods import method_of
from . import structured_bindings

if TYPE_CHECKING:
    from collections.abc import Callable

    from ....ir.block import Block
    from ..model.scope import Place
    from ..state.context import Context

    Body = Callable[[Context, Any, Block, Block], None]


_LISTS = (c_ast.InitList,)
_MOST_ITEMS = 8  # of a list: what is repeated is lowered for each


def lower(context: Context, node: Any, body: Body) -> None:
    """Lower a range loop; `body` lowers what it repeats, given where `break` and `continue` go."""
    outer = context.scope
    context.scope = Scope(outer)
    items = _items(node.range)
    ends = None if items else _ends(context, context.place(node.range))
    context.at(node)
    if items:
        _repeated(context, node, body, items)
    elif ends is None:
        _open(context, node, body)
    else:
        _stepped(context, node, body, ends)
    context.scope = outer


def _items(written: Any) -> list[Any]:
    """The elements of a short list in braces; none where one is a list itself."""
    items = initial_items(written) if isinstance(written, _LISTS) else []
    nested = any(isinstance(each, _LISTS) for each in items)
    return [] if nested or len(items) > _MOST_ITEMS else items


def _repeated(context: Context, node: Any, body: Body, items: list[Any]) -> None:
    """What is repeated, once for each element of a list."""
    builder = context.builder
    end, outer = builder.new_block("end"), context.scope
    for item in items:
        onward = builder.new_block("step")
        _declare(context, node.declaration, ValuePlace(context.expression(item)))
        body(context, node.body, end, onward)
        builder.jump(onward)
        context.scope = Scope(outer)
        builder.start(onward)
    builder.jump(end)
    builder.start(end)


def _ends(context: Context, values: Place) -> tuple[Typed, Typed] | None:
    """The iterators to the first element and behind the last one."""
    type = values.type
    if type.form is Form.ARRAY:
        if not isinstance(values, MemoryPlace) or type.element is None or type.extent is None:
            return None
        first = Typed(values.address, ctypes.pointer_to(type.element))
        return first, operate(context, "+", first, context.constant(type.extent))
    methods = [method_of(context, values, name, []) for name in ("begin", "end")]
    found = [context.read(context.inline(each, [], [])) for each in methods if each]
    known = (Form.POINTER, Form.CLASS)
    if len(found) < len(methods) or any(each.type.form not in known for each in found):
        return None
    return found[0], found[1]


def _stepped(context: Context, node: Any, body: Body, ends: tuple[Typed, Typed]) -> None:
    builder = context.builder
    first, last = ends
    at = context.registers("an iterator", first.type)
    context.put(at, first)
    header, inside, onward, end = map(builder.new_block, ("test", "body", "step", "end"))
    builder.jump(header)
    builder.start_loop(header)
    builder.branch(_differs(context, at, last), inside, end, "for")
    builder.start(inside)
    _declare(context, node.declaration, overloads.pointed_at(context, at))
    body(context, node.body, end, onward)
    builder.jump(onward)
    builder.start(onward)
    context.at(node)
    if onward.predecessors and overloads.overloaded(context, "++", [at]) is None:
        context.put(at, operate(context, "+", context.read(at), context.constant(1)))
    builder.jump(header)
    builder.seal(header)
    builder.start(end)


def _differs(context: Context, at: Place, last: Typed) -> Any:
    by_operator = overloads.overloaded(context, "!=", [at, ValuePlace(last)])
    if by_operator is not None:
        return context.truth(context.read(by_operator))
    return context.truth(operate(context, "!=", context.read(at), last))


def _declare(context: Context, declared: Any, element: Place) -> None:
    """The variable of the loop: the element itself, or a copy of it, or its members."""
    if isinstance(declared, nodes.StructuredBinding):
        structured_bindings.bind(context, declared, element)
        return
    if declares_reference(declared) and not isinstance(element, ValuePlace):
        context.scope.names[declared.name] = element
        return
    value = context.read(element)
    type = ctypes.deduced(context.reader.read(declared.type, context.scope), value.type)
    home = context.scope.names[declared.name] = context.variable(
        declared, value.type if type.form is Form.UNKNOWN else type
    )
    context.write(home, casts.implicit(context, value, type))


def _open(context: Context, node: Any, body: Body) -> None:
    builder, declared = context.builder, node.declaration
    header, inside, end = map(builder.new_block, ("test", "body", "end"))
    builder.jump(header)
    builder.start_loop(header)
    more = context.unknown(ctypes.BOOL, "the length of a range")
    builder.branch(more.value, inside, end, "for")
    builder.start(inside)
    if isinstance(declared, nodes.StructuredBinding):
        element = context.unknown(ctypes.unknown("auto"), "an element of a range")
        structured_bindings.bind(context, declared, ValuePlace(element))
    else:
        type = context.reader.read(declared.type, context.scope)
        slot = Slot(declared.name)
        builder.write(slot, context.unknown(type, "an element of a range").value)
        context.scope.names[declared.name] = VariablePlace(slot, type)
    body(context, node.body, end, header)
    builder.jump(header)
    builder.seal(header)
    builder.start(end)
