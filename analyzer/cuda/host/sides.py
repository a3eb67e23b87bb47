"""Which side may follow a pointer in a function that serves both: a flag decides, host or device.

In: the body of a function. Out: the names that the host follows there and that the device gets
there, too. Where such a function asks for a flag that its caller did not say in constants, what it
does with the pointer on either way says nothing of the pointer it was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..lowering.program.callees import callee_name
from ..names.host_memory import FOLLOWING, READERS
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .values.kernels import uncast

if TYPE_CHECKING:
    from collections.abc import Iterator


def two_sided(body: Any) -> frozenset[str]:
    """The names that the host follows in a body, and that launches or the runtime get in it."""
    host: set[str] = set()
    device: set[str] = set()
    for node in nodes.walk(body):
        if isinstance(node, c_ast.ArrayRef):
            host.update(_names([node.name]))
        elif isinstance(node, c_ast.UnaryOp) and node.op == "*":
            host.update(_names([node.expr]))
        elif isinstance(node, nodes.Launch):
            device.update(_names(node.arguments))
        elif isinstance(node, c_ast.FuncCall) and node.args is not None:
            name = callee_name(node.name)
            if name in FOLLOWING or name in READERS:
                host.update(_names(node.args.exprs))
            elif not name.startswith("cudaFree"):
                device.update(_names(node.args.exprs))
    return frozenset(host & device)


def _names(given: Any) -> Iterator[str]:
    for each in given:
        node = uncast(each)
        while isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-"):
            node = uncast(node.left)
        if isinstance(node, c_ast.ID):
            yield node.name
