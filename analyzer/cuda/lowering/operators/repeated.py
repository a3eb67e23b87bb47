"""Operators whose two sides are one expression, as it is written: `x < n && x < n`.

In: the node of a binary operator and its value. Out: noted with the kernel. What only an instance
of a template, a call or a macro makes equal is written in two ways, or once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir.operations import Operation
from ...syntax.printing import as_text

if TYPE_CHECKING:
    from ....ir.values import Value
    from ....source.text import Span
    from ..state.context import Context


def note(context: Context, node: Any, made: Value) -> None:
    """Remember what was made of an operator with twice the same side."""
    left, right = node.left, node.right
    if type(left) is type(right) and isinstance(made, Operation):
        texts = _words(left.coord), _words(right.coord)
        if texts[0] and texts[0] == texts[1] and as_text(left) == as_text(right):
            context.kernel.written_twice.add(made)


def _words(span: Span | None) -> list[str]:
    """The text without what a macro made."""
    return [] if span is None or span.macro is not None else span.text.split()
