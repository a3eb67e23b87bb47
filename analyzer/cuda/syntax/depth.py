"""Trees that are too deep to be walked.

In: a tree, and the tokens it was made from. Out: the same tree, with the statements in which nodes
are nested deeper than `DEEPEST` replaced by `nodes.Opaque`. Everyone after the front end may
recurse. The tokens tell at a glance that nearly all trees are shallow; only the rest are measured.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from . import nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .nodes.c_ast import c_ast

DEEPEST = 150
_REASON = f"nested more than {DEEPEST} deep"
_CUTS = 30  # statements cut out of one function before all of it is given up

_OPENING = frozenset(["LPAREN", "LBRACKET", "BRACE", "LESS"])
_CLOSING = frozenset(["_RPAR", "_RSQB", "_RBRACE", "GREATER"])
_PAUSES = frozenset(["_SEMI", "_COMMA", "BRACE", "_RBRACE"])
_NESTING = ("_ELSE", "_FOR", "_WHILE", "_IF", "_DO")
_STATEMENT_FIELD = re.compile(r"(block_items|stmts|iftrue|iffalse|stmt|body)(?:\[(\d+)\])?$")


def may_be_deep(kinds: list[str]) -> bool:
    """Whether tokens may parse to a deep tree: many open brackets, a long run, or many branches."""
    if len(kinds) < DEEPEST:
        return False
    depth = run = 0
    for kind in kinds:
        run += 1
        if kind in _PAUSES:
            run = 0
        if kind in _OPENING:
            depth += 1
        elif kind in _CLOSING:
            depth -= 1
        if run > DEEPEST or depth > DEEPEST // 4:
            return True
    return any(kinds.count(word) > DEEPEST // 4 for word in _NESTING)


class _Slot(NamedTuple):
    """Where a statement hangs: its parent, the field, its index when the field is a list."""

    parent: Any
    field: str
    at: int | None
    depth: int


def is_deep(tree: Any) -> bool:
    """Whether the syntax tree of a declaration is nested too deeply to be walked."""
    return next(_too_deep(tree), None) is not None


def cut_deep_statements(body: c_ast.Compound) -> list[nodes.Opaque]:
    """Replace what is too deep inside `body`; the statements that took its place."""
    made: list[nodes.Opaque] = []
    while (slot := next(_too_deep(body), None)) is not None:
        if slot.parent is None or len(made) >= _CUTS:
            lost = _opaque(body)
            body.block_items = [lost]
            return [lost]
        value = getattr(slot.parent, slot.field)
        lost = _opaque(value if slot.at is None else value[slot.at])
        if slot.at is None:
            setattr(slot.parent, slot.field, lost)
        else:
            value[slot.at] = lost
        made.append(lost)
    return made


def _opaque(statement: Any) -> nodes.Opaque:
    return nodes.Opaque(statement.coord.text, _REASON, coord=statement.coord)


def _too_deep(tree: Any) -> Iterator[_Slot]:
    """For each node beyond the limit, the innermost statement around it that leaves room."""
    nowhere = _Slot(None, "", None, 0)
    stack: list[tuple[Any, int, _Slot]] = [(tree, 1, nowhere)]
    while stack:
        node, depth, slot = stack.pop()
        if depth > DEEPEST:
            yield slot
            return
        for name, child in node.children():
            inner = slot
            if depth < DEEPEST - 20 and (match := _STATEMENT_FIELD.match(name)):
                index = None if match[2] is None else int(match[2])
                inner = _Slot(node, match[1], index, depth)
            stack.append((child, depth + 1, inner))
