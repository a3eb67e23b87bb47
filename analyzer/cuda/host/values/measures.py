"""What expressions of host code measure with `sizeof`.

In: an expression. Out: each `sizeof` in it, and each variable outside of these, whose initial value
may measure something, too; both stand in the text, whatever holds when it is run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax.nodes.c_ast import c_ast

if TYPE_CHECKING:
    from collections.abc import Iterator


def measuring(node: Any) -> Iterator[Any]:
    """Each `sizeof` in an expression, and each variable outside of these."""
    if isinstance(node, c_ast.ID) or (isinstance(node, c_ast.UnaryOp) and node.op == "sizeof"):
        yield node
    elif node is not None:
        for each in node:
            yield from measuring(each)
