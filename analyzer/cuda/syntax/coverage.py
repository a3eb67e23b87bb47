"""How much of a function was read.

In: a function of the tree, and what the parser lost in it. Out: how many statements its own body
has, where those stand that could not be read, and whether that is all of it. Labels, braces,
pragmas and empty statements do not count; `int a, b;` counts twice. A header that could not be
read is one statement more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...source.records import dataclass
from . import nodes
from .nodes.c_ast import c_ast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...source.text import Span


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a CUDA C++ function was parsed: its statements, and where some were not."""

    statements: int
    opaque: tuple[Span, ...]

    @property
    def status(self) -> str:
        """`full`, `partial` or `none`."""
        if not self.opaque:
            return "full"
        return "none" if len(self.opaque) == self.statements else "partial"


def measure(function: nodes.Function, lost: Iterable[nodes.Opaque]) -> Coverage:
    """The coverage of one function; those that it calls are not looked at.

    `lost` is what the parser gave up in it, which may be the header too.
    """
    header = function.header
    places = [header for item in lost if header is not None and item.coord == header]
    statements = len(places)
    for node in nodes.walk(function.body):
        for statement in _held_statements(node):
            if isinstance(statement, nodes.Opaque) and statement.coord is not None:
                places.append(statement.coord)
            statements += not isinstance(statement, _NO_STATEMENT)
    return Coverage(statements, tuple(places))


#: The fields in which a node holds statements.
_BODIES: tuple[tuple[tuple[type, ...], tuple[str, ...]], ...] = (
    ((c_ast.Compound,), ("block_items",)),
    ((c_ast.If,), ("iftrue", "iffalse")),
    ((c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch, c_ast.Label), ("stmt",)),
    ((c_ast.Case, c_ast.Default), ("stmts",)),
    ((nodes.RangeFor,), ("body",)),
)
#: What stands where statements do and is none itself.
_NO_STATEMENT = (
    c_ast.Compound,
    c_ast.Case,
    c_ast.Default,
    c_ast.Label,
    c_ast.EmptyStatement,
    c_ast.Pragma,
)


def _held_statements(node: Any) -> Iterator[Any]:
    """The statements directly inside a node."""
    for kinds, fields in _BODIES:
        if not isinstance(node, kinds):
            continue
        for field in fields:
            value = getattr(node, field)
            if isinstance(value, list):
                yield from value
            elif value is not None:
                yield value
