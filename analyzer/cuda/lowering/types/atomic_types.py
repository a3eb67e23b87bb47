"""The types `atomic<T, scope>` and `atomic_ref<T, scope>` of libcu++ and the standard library.

In: names and template arguments. Out: the type, with what it holds and which threads it is for.
A scope that is not known counts as the widest.
"""

from __future__ import annotations

import re
from typing import Any

from ...syntax import nodes
from ...syntax.c_ast import c_ast
from ..model import ctypes
from ..model.ctypes import CType, Form, Member
from ..model.scope import AtomicClass

THREAD_SCOPE = re.compile(r"thread_scope(?:_|::)(block|device|system|thread)\b")


WIDEST = "system"


_NAMES = frozenset(("atomic", "atomic_ref"))


def atomic_type(name: str, value: CType, arguments: list[Any]) -> CType | None:
    """The type `atomic<T, scope>` or `atomic_ref<T, scope>`; None for other names."""
    if name not in _NAMES or not arguments:
        return None
    found = THREAD_SCOPE.fullmatch(_last_name(arguments[1])) if arguments[1:] else None
    return atomic_class(name, value, WIDEST if found is None else found[1])


def _last_name(argument: Any) -> str:
    """The name at the end of `cuda::thread_scope_block`."""
    while isinstance(argument, c_ast.Typename | c_ast.TypeDecl | nodes.NamedType):
        argument = argument.name if isinstance(argument, nodes.NamedType) else argument.type
    parts = argument.parts if isinstance(argument, nodes.QualifiedName) else [argument]
    return str(getattr(parts[-1], "name", ""))


def atomic_class(name: str, value: CType, scope: str) -> CType:
    """The type of an atomic object with that value, or of a reference to one."""
    scope = "block" if scope == "thread" else scope  # no wider than that
    origin = AtomicClass(value, scope, refers=name == "atomic_ref")
    spelt = f"{name}<{value.name}, {scope}>"
    if origin.refers:
        members = (Member("object", ctypes.pointer_to(value), 0),)
        return CType(Form.CLASS, spelt, 8, 8, members=members, origin=origin)
    return CType(Form.CLASS, spelt, value.size, value.alignment, origin=origin)


def is_atomic(type: CType) -> bool:
    """Whether a type is atomic, or refers to something that is used atomically."""
    return isinstance(type.origin, AtomicClass)


def is_object(type: CType) -> bool:
    """Whether a type is atomic itself."""
    return isinstance(type.origin, AtomicClass) and not type.origin.refers


def refers(type: CType) -> bool:
    """Whether a type refers to an object of a known type."""
    return isinstance(type.origin, AtomicClass) and type.origin.refers


def is_reference(type: CType) -> bool:
    """Whether a type refers to an object; `atomic_ref` without arguments takes them from it."""
    return refers(type) or (type.form is Form.UNKNOWN and type.name == "atomic_ref")
