"""The names of what is called."""

from __future__ import annotations

from typing import Any

from ...syntax import nodes
from ...syntax.c_ast import c_ast


def callee_name(node: Any) -> str:
    """The plain name of what is called."""
    if isinstance(node, nodes.QualifiedName):
        node = node.parts[-1]
    return node.name if isinstance(node, c_ast.ID | nodes.TemplateId) else ""
