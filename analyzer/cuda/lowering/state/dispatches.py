"""Switches that choose one instance of a template when the kernel runs, and how many are followed.

Libraries dispatch on what only run time tells: `switch (type) { case INT: return f<int>(x); ... }`,
often one such switch inside another one, types times operators. Every instance is inlined; a switch
whose instances take half of the operations that a kernel is given is left alone instead: none of
its instances is followed, so that the others and the kernel around them are known.
In: the lowering of a kernel. Out: `OversizedDispatch` with the switch, upon which the kernel is
lowered again without its instances. Not handled: chains of `if` that do the same.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..model.frame import Dispatch

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from .context import Context

OPERATION_LIMIT = 40_000  # per kernel: beyond it calls are no longer inlined
SHARE = OPERATION_LIMIT // 2  # of one switch
INSTANCES = 4  # of one template, from which on a switch dispatches on types or values
RESTARTS = 8  # switches of one kernel that are left alone
REASON = "a switch selects more instances than fit into the kernel"


class OversizedDispatch(Exception):  # noqa: N818 - it is no error
    """The instances that a switch chooses from do not fit."""

    def __init__(self, switch: int) -> None:
        super().__init__()
        self.switch = switch


@contextmanager
def dispatching(context: Context, node: Any) -> Iterator[None]:
    """While the body of a switch is lowered that may choose one instance of a template."""
    context.dispatches.append(Dispatch(id(node), context.builder.size, len(context.frames)))
    yield
    context.dispatches.pop()


def left_alone(context: Context, name: str, instance: Hashable) -> bool:
    """Whether a call is one of those that a switch chooses from and that do not fit.

    Asked before an instance of a template is inlined; raises `OversizedDispatch` when the instances
    before it have used up the share of their switch.
    """
    dispatch = context.dispatches[-1] if context.dispatches else None
    if dispatch is None or instance is None or dispatch.depth != len(context.frames):
        return False
    if dispatch.switch in context.oversized:
        return True
    chosen = dispatch.instances.setdefault(name, set())
    chosen.add(instance)
    too_large = context.builder.size - dispatch.start > SHARE and len(chosen) >= INSTANCES
    if too_large and len(context.oversized) < RESTARTS:
        raise OversizedDispatch(dispatch.switch)
    return False
