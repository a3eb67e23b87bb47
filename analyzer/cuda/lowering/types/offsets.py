"""Where a member lies: `offsetof`.

In: a type, the path to a member of it, and what evaluates a subscript. Out: the distance in bytes;
None when it is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..program.template_arguments import as_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model.scope import Scope
    from .constant_arithmetic import Number
    from .reading import Reader


OFFSET_OF = frozenset({"offsetof", "__builtin_offsetof"})


def offset(
    given: list[Any], scope: Scope, reader: Reader, evaluate: Callable[[Any], Number | None]
) -> int | None:
    """`offsetof(T, a.b[2])`: where the member lies; None when that is not known."""
    first, member = given
    type, offset = reader.read(as_type(first), scope), 0
    path: list[Any] = []
    while isinstance(member, c_ast.StructRef | c_ast.ArrayRef):
        path.insert(0, member)
        member = member.name
    for step in (member, *path):
        if isinstance(step, c_ast.ArrayRef):
            index = evaluate(step.subscript)
            element = type.element
            if not isinstance(index, int) or element is None or element.size is None:
                return None
            type, offset = element, offset + index * element.size
            continue
        name = nodes.member_name(step) if isinstance(step, c_ast.StructRef) else step.name
        found = type.member(name) if isinstance(name, str) else None
        if found is None or found.offset is None:
            return None
        type, offset = found.type, offset + found.offset
    return offset
