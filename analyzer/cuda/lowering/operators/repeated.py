"""Operators whose two sides are one expression, as it is written: `x < n && x < n`.

In: the node of a binary operator and its value. Out: noted with the kernel. Of a row of conditions,
`a && b && b`, the last is compared with each one before it. What only an instance of a template, a
call or a macro makes equal is written in two ways, or once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir.operations import Operation
from ...syntax.printing import as_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....ir.values import Value
    from ....source.text import Span
    from ..state.context import Context


_WORDS = {"&&": "and", "||": "or", "!=": "not_eq"}


def note(context: Context, node: Any, made: Value) -> None:
    """Note in the kernel the value of an operator with twice the same side: `x < n && x < n`."""
    if not isinstance(made, Operation) or not _is_operator_written(node):
        return
    if any(_is_same(e, node.right) for e in _before(node)):
        context.kernel.written_twice.add(made)


def _is_operator_written(node: Any) -> bool:
    """Whether the operator stands between its sides, and not in the body of a macro which is given
    both.
    """
    left, right = node.left.coord, node.right.coord
    if left is None or right is None or left.source is not right.source:
        return False
    between: str = left.source.text[left.end : right.start].strip("() \t\r\n\\")
    spellings = (node.op, _WORDS.get(node.op, node.op))
    return between.startswith(spellings) or between.endswith(spellings)


def _before(node: Any) -> Iterator[Any]:
    """The left side, or all conditions of the row that it is."""
    left = node.left
    while node.op in ("&&", "||") and isinstance(left, type(node)) and left.op == node.op:
        yield left.right
        left = left.left
    yield left


def _is_same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    words = _words(one.coord)
    return bool(words) and words == _words(other.coord) and as_text(one) == as_text(other)


def _words(span: Span | None) -> list[str]:
    """The text without what a macro made."""
    return [] if span is None or span.macro is not None else span.text.split()
