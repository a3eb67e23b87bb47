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


def library_name(node: Any) -> str:
    """The name of a function that may be one of the runtime's or of the C library's; nothing for a
    method, and for what stands in a namespace of somebody else's: `pool.free`, `gpu::memcpy`.
    """
    around = node.parts[:-1] if isinstance(node, nodes.QualifiedName) else ()
    return callee_name(node) if all(getattr(each, "name", "") == "std" for each in around) else ""
