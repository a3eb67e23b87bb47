"""How far calls are inlined into each other, and why one is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir.unfollowed import RECURSION, TOO_DEEP, TOO_LARGE
from .context import DEPTH_LIMIT
from .dispatches import REASON, left_alone

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ...syntax import nodes
    from .context import Context


def refusal(
    context: Context,
    function: nodes.Function,
    owner: object = None,
    instance: Hashable = None,
) -> str | None:
    """Why a function is not inlined here; None when it is. Each instance of a class has its own
    (`owner`), and each instance of a template is a function of its own.
    """
    if function.body is None:
        return "its overload could not be resolved"
    for frame in context.frames:
        same = frame.function is function and (owner is None or owner is frame.owner)
        if same and instance == frame.instance:
            return RECURSION
    reason = used_up(context)
    if reason is None and left_alone(context, function.decl.name, instance):
        return REASON
    return reason


def refusal_of_lambda(context: Context, function: Any) -> str | None:
    """Why a lambda is not inlined here, by the node that defines it; None when it is."""
    if any(frame.function is function for frame in context.frames):
        return RECURSION
    return used_up(context)


def used_up(context: Context) -> str | None:
    """Why nothing more is inlined here, whatever it is; None where there is room."""
    if len(context.frames) >= DEPTH_LIMIT:
        return TOO_DEEP
    if context.made >= context.most:
        return TOO_LARGE
    return None
