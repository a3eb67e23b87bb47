"""Types that are the same in any scope: those of keywords and pointers alone.

In: a type node, as `const float *` has one. Out: its type, read once; None where any other name has
a part in it, and for pointers to pointers beyond any depth that a program has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax.nodes.c_ast import c_ast
from ..model import builtin_types, ctypes

if TYPE_CHECKING:
    from ..model.ctypes import CType

DEPTH_LIMIT = 40  # aliases of aliases, classes of classes: deeper is a cycle
_PLAIN = frozenset(
    {c_ast.Typename, c_ast.Decl, c_ast.TypeDecl, c_ast.PtrDecl, c_ast.IdentifierType}
)


class PlainTypes:
    """The types of one translation unit that no scope matters to."""

    def __init__(self) -> None:
        self._known: dict[Any, CType | None] = {}

    def of(self, node: Any) -> CType | None:
        """The type of a type node; None where a scope may matter."""
        if node.__class__ not in _PLAIN:
            return None
        return self._known[node] if node in self._known else self._read(node, 0)

    def _read(self, node: Any, depth: int) -> CType | None:
        found: CType | None = None
        if depth > DEPTH_LIMIT:
            return None
        if node.__class__ is c_ast.IdentifierType:
            found = builtin_types.of_keywords(" ".join(node.names))
        elif node.type.__class__ in _PLAIN:
            found = self._read(node.type, depth + 1)
            if found is not None and node.__class__ is c_ast.PtrDecl:
                found = ctypes.pointer_to(found)
            elif found is not None and node.__class__ is c_ast.TypeDecl:
                quals = node.quals or ()
                found = ctypes.qualified(
                    found, volatile="volatile" in quals, const="const" in quals
                )
        self._known[node] = found
        return found
