"""Places that hold constants, and the constants that places hold.

In: a number and its type, or what a name is bound to. Out: a read-only place; the number, or None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir.arithmetic import wrap
from ....ir.types import Kind
from ....ir.values import Constant
from ....source.numbers import whole
from ...syntax.nodes.c_ast import c_ast
from ..model import ctypes
from ..model.scope import Typed, ValuePlace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.ctypes import CType
    from ..model.scope import Binding
    from .constant_arithmetic import Number


def type_of(name: str, value: Number) -> CType:
    """The type of a constant that a header of C defines."""
    if isinstance(value, int):
        return ctypes.INT
    return ctypes.FLOAT if name.startswith("FLT_") else ctypes.DOUBLE


def place(value: Number, type: CType) -> ValuePlace:
    """A read-only place that holds a constant, in the range of its type."""
    held = type.ir()
    if held.kind is Kind.FLOAT:
        value = float(value)
    elif held.kind in (Kind.INTEGER, Kind.POINTER, Kind.PREDICATE):
        value = wrap(whole(value) or 0, held)
    return ValuePlace(Typed(Constant(held, value), type))


def held_by(found: Binding | None) -> Number | None:
    """The number that a name of C++ is bound to, if it is one."""
    held = found.value.value if isinstance(found, ValuePlace) else None
    return held.value if isinstance(held, Constant) else None


def written_elements(declaration: Any) -> Sequence[Any]:
    """The elements that a `constexpr` array is declared with, in their order; else nothing."""
    init = getattr(declaration, "init", None)
    if not isinstance(init, c_ast.InitList):
        return ()
    marks = (declaration.quals, declaration.storage, declaration.funcspec)
    named = any(isinstance(each, c_ast.NamedInitializer) for each in init.exprs)
    return () if named or not any("constexpr" in (each or ()) for each in marks) else init.exprs


def written_element(declaration: Any, index: int | None) -> Any:
    """The element of a `constexpr` array at an index, if it is written; None for the others."""
    elements = written_elements(declaration)
    return elements[index] if index is not None and 0 <= index < len(elements) else None
