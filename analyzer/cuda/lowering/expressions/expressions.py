"""Expressions → values and places.

In: an expression node. Out: a `Typed` value (`lower`) or the place it names (`place_of`).
Side effects are emitted in C++17 evaluation order where it is defined. `&&`, `||` and `?:` become
control flow only when the part that may be skipped has effects or touches memory; otherwise they
are plain logic, which keeps guards readable for the analyses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir import types as ir
from ....ir.operations import Opcode
from ....ir.values import Unknown, whole_number
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..library import atomic_objects
from ..model import ctypes
from ..model.ctypes import Form
from ..model.scope import (
    ClassScope,
    FieldPlace,
    MemoryPlace,
    PartPlace,
    Scope,
    Typed,
    ValuePlace,
)
from ..operators import overloads
from ..operators.operators import combined, operate
from ..program.callees import callee_name
from ..types import atomic_types, constant_places
from ..types.function_values import TO_MEMBERS, function_named, member_named, member_of
from . import (
    binary_operators,
    calls,
    captures,
    casts,
    conditionals,
    heap,
    initialisers,
    lifetimes,
    literals,
    measures,
    named_places,
    packs,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model.scope import Place
    from ..state.context import Context

_SHORT_ROW = 64  # elements: more are no members by number


def lower(context: Context, node: Any) -> Typed:
    """The value of an expression."""
    handler = _VALUES.get(type(node))
    if handler is not None:
        context.at(node)
        return handler(context, node)
    if isinstance(node, _PLACES):
        known = _constant_element(context, node) if isinstance(node, c_ast.ArrayRef) else None
        return context.read(place_of(context, node)) if known is None else known
    if isinstance(node, nodes.TemplateId):
        said = context.reader.said(node, context.scope)
        if said is not None:
            return constant_places.place(said, ctypes.BOOL).value
        if nodes.variable_class(node.name) in context.program.classes:
            return context.read(named_places.qualified(context, nodes.variable_value(node)))
        # a variable template, a function as a value
        return named_places.unnamed(ctypes.unknown("auto")).value
    context.at(node)
    context.opaque(f"{type(node).__name__} is not supported")
    return context.unknown(ctypes.unknown("auto"), f"{type(node).__name__} is not supported")


def place_of(context: Context, node: Any) -> Place:
    """The place an expression names; the place of a temporary for any other expression."""
    match node:
        case c_ast.ID():
            return context.named_at(named_places.named(context, node.name), node)
        case nodes.QualifiedName():
            return named_places.qualified(context, node)
        case c_ast.ArrayRef():
            return _element(context, node)
        case c_ast.StructRef():
            return _member(context, node)
        case c_ast.UnaryOp() if node.op == "*" and _is_this(context, node.expr):
            return _this(context)
        case c_ast.UnaryOp() if node.op == "*":
            base = place_of(context, node.expr)
            context.at(node)
            return overloads.pointed_at(context, base)
        case c_ast.UnaryOp() if node.op in ("++", "--"):
            return _step(context, node)[0]
        case c_ast.TernaryOp():
            return conditionals.chosen(context, node)
        case c_ast.Assignment():
            return _assign(context, node)
        case c_ast.BinaryOp() if node.op in TO_MEMBERS:
            return _pointed_member(context, node)
        case c_ast.FuncCall():
            context.at(node)
            return calls.place_of_call(context, node)
        case c_ast.InitList():
            return initialisers.listed(context, node)
        case nodes.NamedCast() if isinstance(node.type.type, nodes.Reference):
            place = place_of(context, node.expression)
            type = context.reader.read(node.type, context.scope)
            return MemoryPlace(place.address, type) if isinstance(place, MemoryPlace) else place
        case _:
            return ValuePlace(lower(context, node))


# ---- elements, members -------------------------------------------------------------------------


def _is_this(context: Context, node: Any) -> bool:
    this = context.frame.this is not None
    return this and isinstance(node, c_ast.ID) and node.name == "this"


def _this(context: Context) -> Place:
    this = context.frame.this
    assert this is not None
    return this


def _row(node: Any, base: MemoryPlace, index: Typed) -> ir.Type | None:
    """The row of an array of rows whose elements are told apart by constants, `p[i][2]`: that is a
    structure without names. A variable walks along a row, which is none.
    """
    nested = isinstance(node.name, c_ast.ArrayRef)
    number, length = whole_number(index.value), base.type.extent
    is_short = length is not None and length <= _SHORT_ROW
    return base.type.ir() if nested and is_short and number is not None else None


def _constant_element(context: Context, node: c_ast.ArrayRef) -> Typed | None:
    """The number that an element of a `constexpr` array of the file is."""
    name = node.name.name if isinstance(node.name, c_ast.ID) else ""
    declared = context.program.variables.get(name) if name else None
    if declared is None or context.scope.find(name) is not None:
        return None
    number = context.number(node)
    type = None if number is None else context.reader.of_file(declared.type).element
    return None if number is None or type is None else context.constant(number, type)


def _element(context: Context, node: Any) -> Place:
    base = place_of(context, node.name)
    index = lower(context, node.subscript)
    context.at(node)
    if base.type.form is Form.ARRAY and isinstance(base, MemoryPlace):
        assert base.type.element is not None
        type = ctypes.qualified(base.type.element, volatile=base.type.volatile)
        address = context.offset(base.address, index, type)
        if type.form is Form.CLASS:
            return MemoryPlace(address, type)  # a structure of its own, not a part of the outer one
        return MemoryPlace(address, type, structure=base.structure or _row(node, base, index))
    value = base_value(context, base)
    if value.type.form is Form.POINTER and value.type.element is not None:
        type = value.type.element
        return MemoryPlace(context.offset(value.value, index, type), type)
    if base.type.form is Form.CLASS:
        return calls.subscript(context, base, index)
    context.at(node)
    if base.type.form is Form.ARRAY and base.type.element is not None:
        number, size = whole_number(index.value), base.type.element.size
        if number is not None and size is not None:
            return FieldPlace(base, number * size, base.type.element, f"[{number}]")
        return PartPlace(base, (index.value,), base.type.element)
    return calls.unknown_element(context, base, index)


def base_value(context: Context, base: Place) -> Typed:
    """The pointer that is indexed; a class or an array in registers is not read for that."""
    if base.type.form in (Form.CLASS, Form.ARRAY) and not isinstance(base, MemoryPlace):
        return Typed(Unknown(ir.VOID, "not a pointer"), base.type)
    return context.read(base)


def _member(context: Context, node: Any) -> Place:
    name = getattr(node.field, "name", "")
    if node.type == "->" and _is_this(context, node.name):
        return context.member(_this(context), name)
    if node.type == "->":
        pointer = place_of(context, node.name)
        context.at(node)
        return _static(context, overloads.arrow(context, pointer), name)
    base = place_of(context, node.name)
    context.at(node)
    return _static(context, base, name)


def _pointed_member(context: Context, node: Any) -> Place:
    """`object.*member`: the member that `&S::member` names, else one that is not known."""
    base, member = place_of(context, node.left), lower(context, node.right)
    context.at(node)
    if node.op == "->*":
        base = overloads.arrow(context, base)
    named = member_of(member.type)
    if named is not None and base.type.member(named) is not None:
        return context.member(base, named)
    return calls.unknown_element(context, base, member)


def _static(context: Context, base: Place, name: str) -> Place:
    """The place of a member; a constant of the class is the same behind every object."""
    origin = base.type.origin
    if base.type.member(name) is None and isinstance(origin, ClassScope):
        found = origin.scope.find(name)
        if isinstance(found, ValuePlace):
            return found
    return context.member(base, name)


# ---- operators -----------------------------------------------------------------------------------


def _unary(context: Context, node: Any) -> Typed:
    op = node.op
    if op == "*":
        return context.read(place_of(context, node))
    if op == "&":
        function = function_named(node, context.scope, context.program)
        function = function or member_named(node, context.scope, context.reader)
        return function.value if function is not None else _address(context, node.expr)
    if op in ("++", "--", "p++", "p--"):
        return _step(context, node)[1]
    if op == "sizeof":
        return measures.size_of(context, node.expr)
    if op == "sizeof...":
        count = context.number(node)
        if count is None:
            return context.unknown(ctypes.ULONG, "the size of a pack", per_thread=False)
        return context.constant(count, ctypes.ULONG)
    if op in ("alignof", "_Alignof"):
        return measures.alignment_of(context, node.expr)
    value = overloads.operand(context, op, lower(context, node.expr))
    context.at(node)
    if op == "!":
        truth = context.truth(value)
        return Typed(context.builder.compute(Opcode.NOT, ir.PREDICATE, truth), ctypes.BOOL)
    if value.type.form is Form.CLASS:
        return overloads.operator(context, op, [value])
    if not value.type.is_scalar:
        return combined(context, [value])
    promoted = ctypes.promoted(value.type)
    value = context.convert(value, promoted)
    if op == "+":
        return value
    opcode = Opcode.NEG if op == "-" else Opcode.NOT
    if promoted.form is Form.FLOAT and hasattr(value.value, "value"):
        return context.constant(-value.value.value, promoted)
    return Typed(context.builder.compute(opcode, promoted.ir(), value.value), promoted)


def _address(context: Context, operand: Any) -> Typed:
    return context.address(place_of(context, operand))


def _step(context: Context, node: Any) -> tuple[Place, Typed]:
    """`++x`: the place that it names and what it is worth."""
    place = place_of(context, node.expr)
    if atomic_types.is_atomic(place.type):
        context.at(node)
        return place, atomic_objects.stepped(context, place, node.op)
    context.at(node)
    by_operator = overloads.overloaded(context, node.op, [place])
    if by_operator is not None:
        return by_operator, context.read(by_operator)
    old = context.read(place)
    context.at(node)
    if old.type.form is Form.CLASS:
        return place, overloads.operator(context, node.op, [old])
    new = operate(context, "+" if "+" in node.op else "-", old, context.constant(1))
    context.write(place, new)
    return place, old if node.op.startswith("p") else Typed(new.value, new.type)


def _assign(context: Context, node: Any) -> Place:
    if node.op == "=" and _is_tie(node.lvalue):
        return _untie(context, node)
    if node.op == "=":
        listed = isinstance(node.rvalue, c_ast.InitList)
        given = place_of(context, node.rvalue) if listed else None
        value = lower(context, node.rvalue) if given is None else context.read(given)
        place = place_of(context, node.lvalue)
        value = initialisers.settled(context, given, place.type) or value
        if atomic_types.is_atomic(place.type):
            context.at(node)
            return ValuePlace(atomic_objects.assigned(context, place, "", value))
        context.at(node)
        by_operator = overloads.overloaded(context, "=", [place, ValuePlace(value)])
        if by_operator is not None:
            return by_operator
        value = casts.implicit(context, value, place.type)
    else:
        place = place_of(context, node.lvalue)
        right = lower(context, node.rvalue)
        if atomic_types.is_atomic(place.type):
            context.at(node)
            return ValuePlace(atomic_objects.assigned(context, place, node.op[:-1], right))
        context.at(node)
        by_operator = overloads.overloaded(context, node.op, [place, ValuePlace(right)])
        if by_operator is not None:
            return by_operator
        context.at(node.lvalue)
        old = context.read(place)
        context.at(node)
        value = operate(context, node.op[:-1], old, right)
    context.at(node.lvalue)
    context.write(place, value)
    context.at(node)
    return ValuePlace(context.convert(value, place.type))


def _is_tie(node: Any) -> bool:
    """`std::tie(a, b)`, of whatever namespace."""
    return isinstance(node, c_ast.FuncCall) and callee_name(node.name) == "tie"


def _untie(context: Context, node: Any) -> Place:
    """`std::tie(a, b) = pair`: each variable holds a part, which one is not looked for."""
    value = lower(context, node.rvalue)
    for item in node.lvalue.args.exprs if node.lvalue.args is not None else ():
        target = place_of(context, item)
        context.at(item)
        context.write(target, context.unknown(target.type, "part of a call result"))
    context.at(node)
    return ValuePlace(value)


def _assignment(context: Context, node: Any) -> Typed:
    return context.read(_assign(context, node))


# ---- lists, blocks, lambdas ---------------------------------------------------------------------


def _list(context: Context, node: Any) -> Typed:
    values = [lower(context, item) for item in node.exprs]
    return values[-1] if values else context.nothing()


def _compound_literal(context: Context, node: Any) -> Typed:
    type = context.reader.read(node.type, context.scope)
    places = [place_of(context, _initial(item)) for item in node.init.exprs or ()]
    context.at(node)
    return casts.construct(context, type, places)


def _initial(item: Any) -> Any:
    """The value of `.x = value`; members named in order are the common use."""
    return item.expr if isinstance(item, c_ast.NamedInitializer) else item


def _initialiser(context: Context, node: Any) -> Typed:
    return initialisers.listed(context, node).value


def _statement_expression(context: Context, node: Any) -> Typed:
    """`({ int j = i; j; })`: what its last statement is worth."""
    *before, last = node.body.block_items or [None]
    if not isinstance(last, _PLACES) and type(last) not in _VALUES:
        context.statement(node.body)
        return context.nothing()
    outer, depth = context.scope, len(context.frame.alive)
    context.scope = Scope(outer)
    for each in before:
        context.statement(each)
    value = lower(context, last)
    lifetimes.close(context, depth)
    context.scope = outer
    return value


_PLACES = (c_ast.ID, c_ast.ArrayRef, c_ast.StructRef, nodes.QualifiedName)
_VALUES: dict[type, Callable[[Context, Any], Typed]] = {
    c_ast.Constant: literals.lower,
    c_ast.BinaryOp: binary_operators.lower,
    c_ast.UnaryOp: _unary,
    c_ast.TernaryOp: conditionals.ternary,
    c_ast.Assignment: _assignment,
    c_ast.Cast: casts.cast,
    c_ast.ExprList: _list,
    c_ast.InitList: _initialiser,
    c_ast.CompoundLiteral: _compound_literal,
    c_ast.FuncCall: calls.lower_call,
    c_ast.Typename: casts.made_of_nothing,
    nodes.NamedCast: casts.named_cast,
    nodes.Construct: casts.construction,
    nodes.StatementExpression: _statement_expression,
    nodes.Lambda: captures.closure,
    nodes.New: heap.new,
    nodes.Delete: heap.delete,
    nodes.Fold: packs.fold,
    nodes.Pack: packs.unknown,
}
