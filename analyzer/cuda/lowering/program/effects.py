"""What evaluating may do beyond computing a value.

In: an expression node. Out: True for calls, stores, loads, and whatever is not plain arithmetic;
`&&`, `||` and `?:` then need control flow. A name is a load where its variable lies in memory that
threads share. Of a body: the variables that it changes as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir.memory import Space
from ....ir.values import ObjectAddress
from ...syntax import nodes
from ...syntax.c_ast import c_ast
from ..model.ctypes import Form
from ..model.scope import MemoryPlace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..state.context import Context

_SHARED = frozenset({Space.SHARED, Space.GLOBAL})


def has_effects(node: Any) -> bool:
    """Whether evaluating an expression may do more than compute: calls, stores, loads."""
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


def is_guarded(context: Context, node: Any) -> bool:
    """Whether it matters that an expression is evaluated only where a condition says so."""
    if has_effects(node):
        return True
    names = (each.name for each in nodes.walk(node) if isinstance(each, c_ast.ID))
    return any(_is_load(context, name) for name in names)


def _is_load(context: Context, name: str) -> bool:
    """Whether a name is a variable in memory that threads share; an array's is its address."""
    place = context.scope.find(name)
    if not isinstance(place, MemoryPlace) or place.type.form is Form.ARRAY:
        return False
    address = place.address
    return isinstance(address, ObjectAddress) and address.object.space in _SHARED


def changed(body: Any) -> Iterator[str]:
    """Variables that are assigned or stepped; `p->x = 1` and `p[0] = 1` leave `p` as it is."""
    for node in nodes.walk(body):
        stepped = isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--")
        target = node.lvalue if isinstance(node, c_ast.Assignment) else node.expr if stepped else 0
        if isinstance(target, c_ast.ID):
            yield target.name
