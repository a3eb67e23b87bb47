"""What a method sees of the object it is called on, in host code: `plan.bytes()`.

In: what is called, and the scope around the call, which binds the members of variables under names
such as `plan.rows`. Out: the class, with a scope in which the members have their own names; those
of which nothing is known are bound to that, since a method means its members before what the file
calls the same. Not handled: objects behind pointers, members of bases that were not read, `this->`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ....ir.types import UNKNOWN
from ....ir.values import Unknown
from ...syntax.nodes.c_ast import c_ast
from ..model.scope import ClassScope, Scope, Typed, ValuePlace

if TYPE_CHECKING:
    from ..model.ctypes import CType


def class_of_object(target: Any, scope: Scope) -> ClassScope | None:
    """The class of the variable in `variable.method`, with what its methods see of that one."""
    if not isinstance(target, c_ast.StructRef) or target.type != ".":
        return None
    if not isinstance(target.name, c_ast.ID):
        return None
    found = scope.find(target.name.name)
    type: CType | None = getattr(found, "type", None)
    if type is None or not isinstance(type.origin, ClassScope):
        return None
    inner = Scope(type.origin.scope)
    prefix = f"{target.name.name}."
    for around in scope.outwards():
        for path in around.members_of(target.name.name):
            inner.names.setdefault(path.removeprefix(prefix), around.names[path])
        if target.name.name in around.names:
            break
    for member in type.members:
        unknown = Typed(Unknown(UNKNOWN, f"{member.name} is a member of the host"), member.type)
        inner.names.setdefault(member.name, ValuePlace(unknown))
    return replace(type.origin, scope=inner)
