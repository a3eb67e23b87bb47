"""The AST of CUDA C++: pycparser's `c_ast` and the nodes that C has no word for.

Whatever C can say is said with `c_ast` (FuncDef, Decl, TypeDecl, PtrDecl, ArrayDecl, Compound, For,
BinaryOp, ArrayRef, StructRef, FuncCall, Cast, ...). The classes here are the rest. `coord` of every
node is a `Span` over the whole node in the file where the user should look (for a macro expansion:
the use). A method call is `FuncCall(StructRef(...), ...)`; `cond ? a : b` is `TernaryOp`.

A variable's Decl has every specifier word but const and volatile in `storage` (`extern`,
`__shared__`, `constexpr`, ...) and a c_ast.Alignas per alignment in `align`; `init` is an
expression, an InitList for `T x{...}` and `T x = {...}`, or a Construct without type for `T
x(...)`. An elaborated `struct T` is the IdentifierType `T`. Parentheses leave no node. `this` is
an ID. A `#pragma unroll` is a c_ast.Pragma before its loop, its string the words after `#pragma`.

Every class lists its children in `child_fields`, a list-valued child being a list of nodes, and its
plain data in `attr_names`; visitors and generators of `c_ast` work on all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from .c_ast import c_ast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....source.text import Span

Node = c_ast.Node
#: Most nodes of a tree are of these, and hold no others.
_LEAVES = frozenset({c_ast.ID, c_ast.Constant, c_ast.IdentifierType})


def walk(node: Any, but: type | None = None) -> Iterator[Any]:
    """Every node below and including `node`, in source order, but for what such nodes hold."""
    work = [node]
    while work:
        item = work.pop()
        yield item
        if item.__class__ in _LEAVES:
            continue
        if but is None or not isinstance(item, but):
            work += [*item][::-1]


def identifiers(node: Any) -> Iterator[str]:
    """The plain names in a node, in source order."""
    return (each.name for each in walk(node) if isinstance(each, c_ast.ID))


class Extension(c_ast.Node):
    """Base of the extension nodes: children and attributes follow from the class's two lists."""

    __slots__ = ("coord",)
    child_fields: ClassVar[tuple[str, ...]] = ()
    attr_names: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *values: Any, coord: Span | None = None) -> None:
        names = self.__slots__
        if len(values) != len(names):
            raise TypeError(f"{type(self).__name__} takes {names}, got {len(values)} values")
        for name, value in zip(names, values, strict=True):
            setattr(self, name, value)
        self.coord = coord

    def children(self) -> tuple[tuple[str, Any], ...]:
        """The child nodes with their field names, in source order."""
        found: list[tuple[str, Any]] = []
        for name in self.child_fields:
            value = getattr(self, name)
            if isinstance(value, list):
                found += [(f"{name}[{index}]", child) for index, child in enumerate(value)]
            elif value is not None:
                found.append((name, value))
        return tuple(found)

    def __iter__(self) -> Iterator[Any]:
        for name in self.child_fields:
            value = getattr(self, name)
            if isinstance(value, list):
                yield from value
            elif value is not None:
                yield value
