"""Calls of CUDA's own functions and of its libraries', whichever model has them.

In: a name with what stands before it, the places of the arguments and the template arguments. Out:
the value; None for a function that is not modelled. A using declaration brings one to a namespace
of the file. Behind a namespace that is none of the libraries' only mathematics is taken for what it
is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...names.libraries import is_library_path
from . import intrinsics, library_models, result_pointers

if TYPE_CHECKING:
    from ..model.scope import Place, Typed
    from ..state.context import Context


def modelled(
    context: Context, name: str, qualified: str, places: list[Place], explicit: list[Any]
) -> Typed | None:
    """The value of a function of CUDA or of its libraries."""
    before = qualified.split("::")[:-1]
    if not is_library_path(before, context.program.namespaces):
        before = list(context.program.brought(before, name) or (*before, name))[:-1]
        qualified = "::".join((*before, name))
    if is_library_path(before, context.program.namespaces):
        handled = intrinsics.lower(context, name, qualified, places, explicit)
        handled = handled or library_models.function(context, name, qualified, places, explicit)
        if handled is not None:
            return handled
    computed = result_pointers.lower(context, name, qualified, places)
    return computed or intrinsics.lower_pure(context, name, qualified, places)
