"""Operators with two sides: built in, `&&` and `||`, and those that classes overload.

In: a binary operation. Out: its value. An overload gets the objects themselves, which it may change
(`stream >> x`). Of `&&` and `||` the right side is evaluated where the left one leaves it open; an
overload evaluates both (C++ standard, [expr.log.and], [over.oper]).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir import types as ir
from ....ir.operations import Opcode
from ....ir.values import Constant
from ..model import ctypes
from ..model.scope import ClassScope, Slot, Typed
from ..operators import overloads, repeated
from ..operators.operators import COMPARE, operate
from ..types.function_values import TO_MEMBERS
from .guarded import is_guarded

if TYPE_CHECKING:
    from ..model.scope import Place
    from ..state.context import Context

_LOGICAL = frozenset({"&&", "||"})


def lower(context: Context, node: Any) -> Typed:
    """The value of an operator expression with two sides."""
    if node.op in TO_MEMBERS:
        return context.read(context.place(node))
    left = context.place(node.left) if _is_overloaded(context, node.op) else None
    if left is not None and isinstance(left.type.origin, ClassScope):
        return _of_object(context, node, left)
    given = context.expression(node.left) if left is None else context.read(left)
    if node.op in _LOGICAL:
        return _logical(context, node, given)
    right = context.expression(node.right)
    context.at(node)
    made = operate(context, node.op, given, right)
    if node.op in COMPARE:
        repeated.note(context, node, made.value)
    return made


def _is_overloaded(context: Context, op: str) -> bool:
    """Whether the file has an operator of that name at all."""
    return f"operator{op}" in context.program.functions


def _of_object(context: Context, node: Any, left: Place) -> Typed:
    """The operator on an object of a class, its own one where it has one that fits."""
    if node.op in _LOGICAL and not overloads.is_written(context, node.op, left):
        return _logical(context, node, context.read(left))
    right = context.place(node.right)
    context.at(node)
    found = overloads.overloaded(context, node.op, [left, right])
    if found is not None:
        return context.read(found)
    values = context.read(left), context.read(right)
    if node.op not in _LOGICAL:
        return operate(context, node.op, *values)
    opcode = Opcode.AND if node.op == "&&" else Opcode.OR
    both = context.builder.compute(opcode, ir.PREDICATE, *map(context.truth, values))
    return Typed(both, ctypes.BOOL)


def _logical(context: Context, node: Any, given: Typed) -> Typed:
    left = context.truth(given)
    builder = context.builder
    decides = int(node.op == "||")  # the side that settles it, whatever the other one is
    if isinstance(left, Constant):
        settled = left.value == decides
        return Typed(
            left if settled else context.truth(context.expression(node.right)), ctypes.BOOL
        )
    if not is_guarded(context, node.right):
        right = context.truth(context.expression(node.right))
        context.at(node)
        if isinstance(right, Constant):
            return Typed(right if right.value == decides else left, ctypes.BOOL)
        opcode = Opcode.AND if node.op == "&&" else Opcode.OR
        both = builder.compute(opcode, ir.PREDICATE, left, right)
        repeated.note(context, node, both)
        return Typed(both, ctypes.BOOL)
    slot = Slot(node.op)
    builder.write(slot, left)
    evaluate, join = builder.new_block("rest"), builder.new_block("join")
    then, otherwise = (evaluate, join) if node.op == "&&" else (join, evaluate)
    context.at(node)
    builder.branch(left, then, otherwise, node.op)
    builder.start(evaluate)
    builder.write(slot, context.truth(context.expression(node.right)))
    builder.jump(join)
    builder.start(join)
    return Typed(builder.read(slot, ir.PREDICATE), ctypes.BOOL)
