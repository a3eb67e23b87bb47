"""Whether evaluating an expression may do more than compute.

In: an expression node. Out: True for calls, stores, loads, and whatever is not plain arithmetic;
`&&`, `||` and `?:` then need control flow.
"""

from __future__ import annotations

from typing import Any

from .. import nodes
from ..c_ast import c_ast


def has_effects(node: Any) -> bool:
    """Whether evaluating an expression may do more than compute: calls, stores, loads."""
    work = [node]
    while work:
        item = work.pop()
        if isinstance(item, c_ast.Assignment | c_ast.ArrayRef | c_ast.FuncCall):
            return True
        if isinstance(item, c_ast.UnaryOp) and item.op in ("*", "++", "--", "p++", "p--"):
            return True
        if isinstance(item, c_ast.StructRef) and item.type == "->":
            return True
        if isinstance(item, nodes.Lambda | nodes.StatementExpression | nodes.New | nodes.Throw):
            return True
        work += list(item)
    return False
