"""Operators that classes overload, on the objects themselves: `*it`, `++it`, `it += 4`, `if (it)`.

In: an operator and the places of its operands. Out: the place that the overload refers to; None
where neither the class of the first operand nor the file has one. Follows the C++ standard,
[over.oper]. Not handled: overloads of `,`, `&` and `->*`; operators of two objects that only read
them go by value (`operator`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operation_kinds import Function
from ....ir.values import Constant
from ..model import ctypes
from ..model.classes import Method
from ..model.ctypes import Form
from ..model.scope import ClassScope, Typed, ValuePlace
from ..resolution.methods import choose, method_of
from .conversions import as_number

if TYPE_CHECKING:
    from ...syntax import nodes
    from ..model.scope import Place
    from ..state.context import Context

#: What the operator of an object is to an analysis, wherever it is defined.
_ARITHMETIC = {
    "+": Function.OBJECT_SUM,
    "-": Function.OBJECT_DIFFERENCE,
    "*": Function.OBJECT_PRODUCT,
}


def overloaded(context: Context, op: str, places: list[Place]) -> Place | None:
    """What an overloaded operator refers to; a postfix one is written `p++`."""
    if places[0].type.form is not Form.CLASS or any(_is_open(place) for place in places[1:]):
        return None
    name = f"operator{op.removeprefix('p')}"
    if op.startswith("p"):  # told apart by an `int` that is not given
        places = [*places, ValuePlace(context.constant(0))]
    method = method_of(context, places[0], name, places[1:])
    if op == "=" and places[1].type.name == places[0].type.name:
        method = _copying(context, method, places[0])
    if method is not None:
        return context.inline(method, places[1:], [])
    found = context.program.device_functions(name)
    free = [function for function in found if not context.program.is_method(function)]
    function = choose(context, free, places) if free else None
    return None if function is None else context.inline(function, places, [])


def _copying(context: Context, method: Method | None, place: Place) -> Method | None:
    """The assignment of a whole object: only one that is written for it replaces the default."""
    if method is None:
        return None
    taken = context.reader.parameter_types(method.function, method.owner.scope)
    return method if [type.name for type in taken] == [place.type.name] else None


def _is_open(place: Place) -> bool:
    return place.type.form is Form.UNKNOWN


def pointed_at(context: Context, base: Place) -> Place:
    """`*base`: by its operator, else what the pointer leads to."""
    by_operator = overloaded(context, "*", [base])
    return by_operator or context.pointed_at(context.read(base))


def arrow(context: Context, base: Place) -> Place:
    """The object whose member `base->` names."""
    by_operator = overloaded(context, "->", [base])
    if by_operator is None:
        return context.pointed_at(context.read(base))
    again = by_operator.type.form is Form.CLASS
    return arrow(context, by_operator) if again else context.pointed_at(context.read(by_operator))


def as_bool(context: Context, value: Typed) -> Typed | None:
    """A class as a condition: by its `operator bool`, or as the constant that a trait is."""
    method = method_of(context, ValuePlace(value), "operator bool", [])
    if method is None:
        origin = value.type.origin if not value.type.members else None
        said = origin.scope.find("value") if isinstance(origin, ClassScope) else None
        known = isinstance(said, ValuePlace) and isinstance(said.value.value, Constant)
        if known and isinstance(said, ValuePlace):
            return said.value
        return as_number(context, value, ctypes.BOOL)
    found = context.read(context.inline(method, [], [], result=ctypes.BOOL))
    return found if found.type.is_scalar else None


def operator(context: Context, op: str, operands: list[Typed]) -> Typed:
    """An overloaded operator of a class: inlined when defined in this file, else pure."""
    found = written(context, op, operands)
    return unseen(context, op, operands) if found is None else found


def unseen(context: Context, op: str, operands: list[Typed]) -> Typed:
    """What an operator gives that this file does not define: its operands decide."""
    made = _ARITHMETIC.get(op, Function.OTHER)
    name = f"operator{op.lstrip('p')}"
    return context.named(name, [each.value for each in operands], operands[0].type, made)


def operand(context: Context, op: str, value: Typed) -> Typed:
    """What an operator of one operand is applied to: a number, where a class only converts to it.

    A condition is converted as such.
    """
    if value.type.form is not Form.CLASS or op == "!" or _meant(context, op, [ValuePlace(value)]):
        return value
    return as_number(context, value) or value


def is_written(context: Context, op: str, left: Place) -> bool:
    """Whether the class of the left side, or the file, overloads an operator at all."""
    origin, name = left.type.origin, f"operator{op}"
    own = isinstance(origin, ClassScope) and context.program.methods(origin.definition, name)
    found = context.program.device_functions(name)
    return bool(own) or any(not context.program.is_method(each) for each in found)


def written(context: Context, op: str, operands: list[Typed]) -> Typed | None:
    """What an overloaded operator gives that this file defines."""
    places: list[Place] = [ValuePlace(operand) for operand in operands]
    called = _meant(context, op, places)
    if called is None:
        return None
    passed = places[1:] if isinstance(called, Method) else places
    return context.read(context.inline(called, passed, []))


def _meant(context: Context, op: str, places: list[Place]) -> Method | nodes.Function | None:
    """The operator that the class of the first operand, or the file, has."""
    name = f"operator{op.lstrip('p')}"
    method = method_of(context, places[0], name, places[1:])
    if method is not None:
        return method
    candidates = context.program.device_functions(name)
    return choose(context, candidates, places) if candidates else None
