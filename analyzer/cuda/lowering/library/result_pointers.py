"""Functions of the mathematical library that leave results behind pointers: `sincosf(x, &s, &c)`.

In: a call's name and the places of its arguments. Out: its value, the results written where the
pointers lead (CUDA Math API: `sincos`, `sincospi`, `modf`, `frexp`, `remquo`, and with a suffix).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..model import ctypes
from ..model.ctypes import Form

if TYPE_CHECKING:
    from ..model.scope import Place, Typed
    from ..state.context import Context

_NAME = re.compile(r"(?:__)?(sincos|sincospi|modf|frexp|remquo)f?$")
#: How many arguments come first, and what is left behind the pointers that follow.
_RESULTS = {
    "sincos": (1, ("sin", "cos")),
    "sincospi": (1, ("sinpi", "cospi")),
    "modf": (1, ("trunc",)),
    "frexp": (1, ("exponent",)),
    "remquo": (2, ("quotient",)),
}


def lower(context: Context, name: str, qualified: str, places: list[Place]) -> Typed | None:
    """The value of a call such as `sincosf(x, &s, &c)`; None for any other."""
    match = _NAME.match(name)
    if match is None:
        return None
    count, results = _RESULTS[match[1]]
    values = [context.read(place) for place in places]
    pointers = values[count:]
    if len(pointers) != len(results) or any(p.type.form is not Form.POINTER for p in pointers):
        return None
    given = [value.value for value in values[:count]]
    for result, pointer in zip(results, pointers, strict=True):
        target = context.pointed_at(pointer)
        context.write(target, context.pure(result, given, target.type))
    returned = values[0].type if values[0].type.form is Form.FLOAT else ctypes.DOUBLE
    return context.nothing() if len(results) > 1 else context.pure(match[1], given, returned)
