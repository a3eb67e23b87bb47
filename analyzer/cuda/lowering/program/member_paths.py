"""Members of variables of host code, by the names that scopes have for them: `sim.grid.cells`.

In: an expression. Out: such a name, which no variable of C++ has; `this.cells` for `this->cells`.
"""

from __future__ import annotations

from typing import Any

from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast


def member_path(node: Any) -> str:
    """The name of a host variable's member, by its node; "" for others, and for what lies behind
    pointers.
    """
    names: list[str] = []
    while isinstance(node, c_ast.StructRef) and (node.type == "." or _is_this(node.name)):
        names.insert(0, nodes.member_name(node))
        node = node.name
    return ".".join((node.name, *names)) if names and isinstance(node, c_ast.ID) else ""


def _is_this(node: Any) -> bool:
    return isinstance(node, c_ast.ID) and node.name == "this"
