"""What evaluating may do beyond computing a value.

In: an expression node. Out: True for calls, stores, loads, and whatever is not plain arithmetic;
`&&`, `||` and `?:` then need control flow. Of a body: the variables that it changes as a whole, and
the arrays whose elements it only reads. Not handled: names of variables in memory that threads
share, which are loads (`guarded.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast

if TYPE_CHECKING:
    from collections.abc import Iterator


def has_effects(node: Any) -> bool:
    """Whether an expression's tree has more than computing in it: calls, stores, loads."""
    work = [node]
    while work:
        item = work.pop()
        if isinstance(item, c_ast.Assignment | c_ast.ArrayRef | c_ast.FuncCall):
            return True
        if isinstance(item, c_ast.UnaryOp) and item.op in ("*", "++", "--", "p++", "p--"):
            return True
        if isinstance(item, c_ast.StructRef) and item.type == "->":
            return True
        if isinstance(item, nodes.Lambda | nodes.StatementExpression | nodes.New | nodes.Throw):
            return True
        work += list(item)
    return False


def changed(body: Any) -> Iterator[str]:
    """Variables that a body's tree assigns or steps; `p->x = 1`, `p[0] = 1` leave `p` as it is."""
    for node in nodes.walk(body):
        target = _target(node)
        if isinstance(target, c_ast.ID):
            yield target.name


def _target(node: Any) -> Any:
    """What an expression itself changes."""
    stepped = isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--")
    return node.lvalue if isinstance(node, c_ast.Assignment) else node.expr if stepped else None


def only_read(body: Any, name: str) -> bool:
    """Whether nothing in the tree of a body may change an array of that name: it only takes
    elements of it, for their values.
    """
    named = taken = 0
    for node in nodes.walk(body):
        named += isinstance(node, c_ast.ID) and node.name == name
        taken += isinstance(node, c_ast.ArrayRef) and _root(node) == name
        given = [_target(node)]
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            given = [node.expr]
        elif isinstance(node, c_ast.FuncCall) and node.args is not None:
            given = list(node.args.exprs)
        elif isinstance(node, c_ast.Decl) and nodes.declares_reference(node):
            given = [node.init]
        if any(_root(each) == name for each in given):
            return False
    return named == taken


def _root(node: Any) -> str | None:
    """The variable that `a[i][j]`, `a[i].x` are parts of."""
    while isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
        node = node.name
    return node.name if isinstance(node, c_ast.ID) else None
