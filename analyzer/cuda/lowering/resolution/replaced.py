"""Functions of a file that have the name of one of CUDA's, and which calls they take from it.

In: the functions of such a name, and the places of a call's arguments. Out: those that the call may
mean. A function with a body takes a call when its pointers lead to what the arguments lead to:
`atomicMax(float *, float)` is the file's own beside CUDA's for integers. A template takes only what
CUDA has no function for, as C++ prefers the one that is none. What a header of the toolkit defines
is CUDA's, and so is a method of some class no function. Not handled: what conversions would allow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...names.cuda_functions import ATOMIC
from ...names.runtime import is_of_toolkit
from ..model.ctypes import Form

if TYPE_CHECKING:
    from ...syntax import nodes
    from ..model.ctypes import CType
    from ..model.scope import Place
    from ..state.context import Context

_POINTERS = (Form.POINTER, Form.ARRAY)
_INTEGERS = (Form.INTEGER, Form.BOOL)
_OF_FLOATS = ("Add", "Exch")  # of CUDA's atomic functions


def replacing(
    context: Context, name: str, candidates: list[nodes.Function], places: list[Place]
) -> list[nodes.Function]:
    """The functions that a call may mean in place of CUDA's."""
    return [
        function
        for function in candidates
        if not context.program.is_method(function)
        and not _is_of_toolkit(function)
        and _takes(context, function, places)
        and (function.template is None or not _has(name, places))
    ]


def _is_of_toolkit(function: nodes.Function) -> bool:
    return function.coord is not None and is_of_toolkit(function.coord.path)


def _takes(context: Context, function: nodes.Function, places: list[Place]) -> bool:
    """Whether every pointer leads to what the argument leads to."""
    types = context.reader.parameter_types(function, None)
    return all(_is_same(wanted, place.type) for wanted, place in zip(types, places, strict=False))


def _is_same(wanted: CType, given: CType) -> bool:
    if wanted.form not in _POINTERS or given.form not in _POINTERS:
        return True
    one, other = wanted.element, given.element
    if one is None or other is None or Form.UNKNOWN in (one.form, other.form):
        return True
    return one.name == other.name


def _has(name: str, places: list[Place]) -> bool:
    """Whether CUDA has a function of that name for such arguments."""
    held = [place.type.element or place.type for place in places]
    atomic = ATOMIC.match(name)
    if atomic is None:
        return all(type.form is not Form.CLASS or not type.members for type in held)
    element = held[0] if held else None
    if element is None or element.form is Form.UNKNOWN:
        return True
    floats = element.form is Form.FLOAT and atomic[1] in _OF_FLOATS
    return floats or (element.form in _INTEGERS and (element.size or 0) >= 4)
