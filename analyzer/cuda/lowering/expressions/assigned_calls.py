"""Assignments to what a call returns: `element<0>(v) = x`, where the reference was not followed.

In: the call that stands on the left. Out: its arguments that are variables hold something unknown
from then on, since the call may have returned a reference to any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax import nodes
from ...syntax.c_ast import c_ast
from ..model.scope import Place, ValuePlace

if TYPE_CHECKING:
    from ..state.context import Context

_VARIABLES = (c_ast.ID, c_ast.ArrayRef, c_ast.StructRef, nodes.QualifiedName)


def forget_arguments(context: Context, target: Any, place: Place) -> None:
    """Nothing where the target is no call, or its place is known."""
    if not isinstance(target, c_ast.FuncCall) or not isinstance(place, ValuePlace):
        return
    for argument in target.args.exprs if target.args is not None else ():
        held = context.place(argument) if isinstance(argument, _VARIABLES) else place
        if not isinstance(held, ValuePlace):
            context.write(held, context.unknown(held.type, "may be assigned through a call"))
