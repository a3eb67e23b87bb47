"""What arrays begin with: lists in braces, strings, zeros.

In: an array's place and its initialiser. Out: stores of its elements. Of a long list the first
elements stand for all: tables of thousands of numbers are data, not code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax.nodes.c_ast import c_ast
from ..model import ctypes
from ..model.ctypes import Form
from ..model.scope import MemoryPlace
from ..types.template_packs import spread
from .initialisers import initial_value, zero
from .literals import characters, is_string

if TYPE_CHECKING:
    from ..model.ctypes import CType
    from ..model.scope import Scope
    from ..state.context import Context
    from ..types.template_packs import Written

_MOST_FILLED = 1_024  # elements that are stored one by one


def elements_of(init: Any, element: CType, scope: Scope) -> tuple[list[Written], bool] | None:
    """What an initialiser fills an array with, the characters of a string one by one and packs
    expanded; and whether this is all of it. None where it is no list.
    """
    items = list(init.exprs or ()) if isinstance(init, c_ast.InitList) else None
    if items is not None and len(items) == 1 and is_string(items[0]) and element.size == 1:
        init = items[0]
    if is_string(init):
        items = [c_ast.Constant("int", str(each)) for each in (*characters(init), 0)]
    return None if items is None else spread(items, scope)


def fill(context: Context, place: MemoryPlace, init: Any, most: int = _MOST_FILLED) -> None:
    """Store what an array in memory begins with, `T a[] = {...}`: element by element, nested lists
    and strings included.

    Of long lists the first elements stand for all.
    """
    element = place.type.element
    if element is None:
        return
    outer = context.scope
    items, is_whole = elements_of(init, element, outer) or ([], True)
    if not items and is_whole:  # zeros; as for `{0}`, the first one stands for all
        _fill_with_zeros(context, place)
    items = items[: most if place.type.extent is None else min(most, place.type.extent)]
    each = max(1, most // max(len(items), 1))
    for index, (item, context.scope) in enumerate(items):
        position = context.constant(index, ctypes.LONG)
        at = MemoryPlace(context.offset(place.address, position, element), element)
        if element.form is Form.ARRAY and (isinstance(item, c_ast.InitList) or is_string(item)):
            fill(context, at, item, each)
        elif isinstance(item, c_ast.InitList):
            context.write(at, initial_value(context, item, element))
        else:
            context.write(at, context.expression(item))
    context.scope = outer


def _fill_with_zeros(context: Context, place: MemoryPlace) -> None:
    """`T a[N] = {}`: the first number of the array."""
    element = place.type.element
    if element is None:
        return
    first = MemoryPlace(place.address, element)
    if element.form is Form.ARRAY:
        _fill_with_zeros(context, first)
    else:
        context.write(first, zero(context, element))
