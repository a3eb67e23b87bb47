"""The names of what is called."""

from __future__ import annotations

from typing import Any

from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast

_HANDING_ON = frozenset({"move", "forward", "as_const"})  # of std and cuda::std


def hands_on(call: Any) -> bool:
    """Whether a call, by name, gives back its argument: `std::move(x)`, `std::forward<T>(x)`."""
    callee, given = call.name, call.args.exprs if call.args is not None else ()
    around = [*callee.parts[:-1]] if isinstance(callee, nodes.QualifiedName) else []
    of_std = bool(around) and getattr(around[-1], "name", "") == "std"
    return of_std and callee_name(callee) in _HANDING_ON and len(given) == 1


def callee_name(node: Any) -> str:
    """The plain name of the function that the node of a call's callee names."""
    if isinstance(node, nodes.QualifiedName):
        node = node.parts[-1]
    return node.name if isinstance(node, c_ast.ID | nodes.TemplateId) else ""


def library_name(node: Any) -> str:
    """The name in the node of a callee, where it may be one of the runtime's or of the C library's;
    nothing for a method, and for what stands in a namespace of somebody else's: `pool.free`,
    `gpu::memcpy`.
    """
    around = node.parts[:-1] if isinstance(node, nodes.QualifiedName) else ()
    return callee_name(node) if all(getattr(each, "name", "") == "std" for each in around) else ""
