"""Which functions a call may mean by the name that it is written with.

In: what is called, as it is written, and the function around the call. Out: the functions of that
name that are in sight, those of the namespaces around the call in front.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax import nodes
from ..program.namespaces import Path, named_by

if TYPE_CHECKING:
    from ..state.context import Context


def candidates_of(context: Context, callee: Any, name: str) -> list[nodes.Function]:
    """The functions of that name; methods only where one class alone has it."""
    program = context.program
    qualified = isinstance(callee, nodes.QualifiedName)
    if qualified and context.reader.owner(callee, context.scope) is not None:
        return []  # it belongs to a class that is not known
    alike = program.free_functions(name, _around(context))
    free = alike.functions
    if qualified:
        before = [getattr(part, "name", "") for part in callee.parts[:-1]]
        free = named_by(alike, before, program.namespaces)
    if free:
        return free
    methods = program.device_functions(name)
    return methods if len({function.scope for function in methods}) == 1 else []


def _around(context: Context) -> Path:
    """The namespaces and classes around the function that is being read."""
    scopes = (getattr(frame.function, "scope", None) for frame in reversed(context.frames))
    return next((scope for scope in scopes if scope is not None), ())
