"""Each `sizeof` in a size that host code computes.

In: the expression of an argument, what variables were initialised with, and the scope around it.
Out: what is measured: the size of a pointer, or of a container, is seldom the one that is meant.
Variables that variables are made of are followed up to `_DEPTH`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ir.host import Measure
from ..lowering.model.ctypes import Form, is_reference
from ..lowering.model.data_models import size_by_short_long
from ..syntax.nodes.c_ast import c_ast
from .values.kernels import text_of
from .values.pointers import is_container

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..lowering.model.scope import Scope
    from .values.values import HostValues

_DEPTH = 3
_NAMED = (c_ast.ID, c_ast.StructRef)


class Measures:
    """Finds what expressions measure; what stands in one is looked for once."""

    def __init__(self) -> None:
        self._parts: dict[Any, tuple[Any, ...]] = {}

    def of(self, node: Any, initialiser: Callable[[str], Any], depth: int = 0) -> list[Any]:
        """Each `sizeof` in an expression, and in what its variables were initialised with."""
        parts = self._parts.get(node)
        if parts is None:
            parts = self._parts[node] = tuple(_parts(node))
        found: list[Any] = []
        for part in parts:
            if not isinstance(part, c_ast.ID):
                found.append(part)
            elif depth < _DEPTH and (made := initialiser(part.name)) is not None:
                found += self.of(made, initialiser, depth + 1)
        return found


def _parts(node: Any) -> Iterator[Any]:
    """Each `sizeof` in an expression, and each variable outside of these."""
    if isinstance(node, c_ast.ID) or (isinstance(node, c_ast.UnaryOp) and node.op == "sizeof"):
        yield node
    elif node is not None:
        for each in node:
            yield from _parts(each)


def measure(node: Any, values: HostValues, scope: Scope) -> Measure:
    """What a `sizeof` measures."""
    asked = isinstance(node.expr, c_ast.Typename)
    type = values.read_type(node.expr, scope) if asked else values.type_of(node.expr, scope)
    size = values.number(node, scope)
    held = values.pointers.of(node.expr, scope) if isinstance(node.expr, _NAMED) else None
    return Measure(
        text_of(node),
        size if isinstance(size, int) else None,
        of_pointer=type.form is Form.POINTER and not is_reference(type),
        of_container=held is not None and is_container(held),
        short_size=size_by_short_long(type),
    )
