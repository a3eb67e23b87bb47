"""The types `atomic<T, scope>` and `atomic_ref<T, scope>` of libcu++ and the standard library.

In: names and template arguments. Out: the type, with what it holds and which threads it is for.
A scope that is not known counts as the widest.
"""

from __future__ import annotations

from ...names.libraries import LIBRARY_ENUMS
from ..model import ctypes
from ..model.ctypes import CType, Form, Member
from ..model.scope import AtomicClass

THREAD_SCOPES = {number: name for name, number in LIBRARY_ENUMS["thread_scope"].items()}
WIDEST = "system"
_NAMES = frozenset(("atomic", "atomic_ref"))


def is_name(name: str) -> bool:
    """Whether a class template is called `atomic` or `atomic_ref`."""
    return name in _NAMES


def scope_of(number: int | None) -> str:
    """The scope that an enumerator of `thread_scope` is; the widest where it is not known."""
    scope = WIDEST if number is None else THREAD_SCOPES.get(number, WIDEST)
    return "block" if scope == "thread" else scope  # no wider than that


def atomic_class(name: str, value: CType, scope: str) -> CType:
    """The type of an atomic object with that value, or of a reference to one."""
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
