"""`<type_traits>`: what the standard's type functions make of types, and say of them.

In: the name of a trait and the types that it is given. Out: a type (`std::conditional_t`), a number
(`std::is_same_v`), or None where the name is no trait or the types do not settle it. Follows the
C++ standard, [meta]. `signed char` is read as `char`: whether two of these are the same is not
known. Not handled: traits that ask for constructors and conversions, `std::common_type`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from . import builtin_types, ctypes
from .ctypes import CType, Form
from .scope import EnumScope

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MIXED = frozenset({"char"})  # what stands for `signed char` as well
_NAMES = {
    **dict.fromkeys(("__half", "nv_half"), "half"),
    **dict.fromkeys(("__half2", "nv_half2"), "half2"),
    **dict.fromkeys(("cuFloatComplex", "cuComplex", "cufftComplex"), "float2"),
    "cuDoubleComplex": "double2",
    "nv_bfloat162": "__nv_bfloat162",
}
_NUMBERS = frozenset({Form.BOOL, Form.INTEGER, Form.FLOAT})
_WHOLE = (Form.BOOL, Form.INTEGER)
_FLOATS = ("float", "double")
_SETTLED = _NUMBERS | {Form.VOID, Form.POINTER, Form.ARRAY, Form.CLASS}


def same(first: CType, second: CType) -> bool | None:
    """Whether two C++ types are one; None where that is not known."""
    if Form.UNKNOWN in (first.form, second.form):
        return None
    if first.const != second.const or first.volatile != second.volatile:
        return False
    return same_unqualified(first, second)


def same_unqualified(first: CType, second: CType) -> bool | None:
    """Whether two C++ types are one but for their own `const` and `volatile`."""
    if Form.UNKNOWN in (first.form, second.form):
        return None
    if first.form is not second.form:
        return False
    if first.form in (Form.POINTER, Form.ARRAY):
        if first.extent != second.extent or first.element is None or second.element is None:
            return None if None in (first.extent, second.extent) else False
        return same(first.element, second.element)
    origins = [None if isinstance(e.origin, EnumScope) else e.origin for e in (first, second)]
    if origins != [None, None]:
        return first.origin is second.origin
    if plain_name(first) != plain_name(second) or first.size != second.size:
        return False
    return None if plain_name(first) in _MIXED else True


def plain_name(type: CType) -> str:
    """The name of a C++ type; that of CUDA's own which another of CUDA's names stands for."""
    return _NAMES.get(type.name, type.name) if type.origin is None else type.name


def made(name: str, types: Sequence[CType], condition: float | None) -> CType | None:
    """The type that `std::name_t<...>` is; `condition` is the value of its first argument."""
    if name == "conditional" and len(types) == 3:
        return None if condition is None else types[1 if condition else 2]
    if name == "enable_if":
        return types[1] if len(types) > 1 else ctypes.VOID
    change = _CHANGES.get(name)
    if change is None or not types or types[0].form is Form.UNKNOWN:
        return None
    return change(types[0])


def said(name: str, types: Sequence[CType]) -> int | None:
    """What `std::name_v<...>` says of its arguments."""
    if name == "is_same" and len(types) == 2:
        found = same(types[0], types[1])
        return None if found is None else int(found)
    test = _TESTS.get(name)
    if test is None or len(types) != 1 or types[0].form not in _SETTLED:
        return None
    return int(test(types[0]))


def _unqualified(type: CType) -> CType:
    return replace(type, const=False, volatile=False)


def _decayed(type: CType) -> CType:
    if type.form is Form.ARRAY and type.element is not None:
        return ctypes.pointer_to(type.element)
    return _unqualified(type)


def _with_sign(type: CType, *, signed: bool) -> CType:
    if type.form is not Form.INTEGER or type.signed is signed:
        return type
    words = type.name.split()
    other = ["unsigned", *words] if not signed else [word for word in words if word != "unsigned"]
    return builtin_types.from_words(other) or replace(type, signed=signed)


def _pointee(type: CType) -> CType:
    return type.element if type.form is Form.POINTER and type.element is not None else type


def _element(type: CType) -> CType:
    return type.element if type.form is Form.ARRAY and type.element is not None else type


def _is_whole(type: CType) -> bool:
    return type.form in _WHOLE and not ctypes.is_enumeration(type)


_CHANGES: dict[str, Callable[[CType], CType]] = {
    "remove_reference": lambda type: type,
    "add_lvalue_reference": lambda type: type,
    "type_identity": lambda type: type,
    "remove_cv": _unqualified,
    "remove_cvref": _unqualified,
    "remove_const": lambda type: replace(type, const=False),
    "remove_volatile": lambda type: replace(type, volatile=False),
    "add_const": lambda type: replace(type, const=True),
    "decay": _decayed,
    "remove_pointer": _pointee,
    "remove_extent": _element,
    "add_pointer": ctypes.pointer_to,
    "make_unsigned": lambda type: _with_sign(type, signed=False),
    "make_signed": lambda type: _with_sign(type, signed=True),
}
_TESTS: dict[str, Callable[[CType], bool]] = {
    "is_integral": _is_whole,
    "is_enum": ctypes.is_enumeration,
    "is_floating_point": lambda type: type.name in _FLOATS,
    "is_arithmetic": lambda type: type.name in _FLOATS or _is_whole(type),
    "is_signed": lambda type: type.name in _FLOATS or (_is_whole(type) and type.signed),
    "is_unsigned": lambda type: _is_whole(type) and not type.signed,
    "is_pointer": lambda type: type.form is Form.POINTER,
    "is_array": lambda type: type.form is Form.ARRAY,
    "is_void": lambda type: type.form is Form.VOID,
    "is_class": lambda type: type.form is Form.CLASS,
    "is_const": lambda type: type.const,
}
TRAITS = frozenset({"conditional", "enable_if", "is_same", *_CHANGES, *_TESTS})
