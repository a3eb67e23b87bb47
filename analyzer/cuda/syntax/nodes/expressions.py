"""Expressions."""

from __future__ import annotations

from typing import Any

from .base import Extension
from .types import QualifiedName


class Construct(Extension):
    """`T(a, b)`, `T{a, b}`: `type` is a Typename, None where a declaration has it (`T x(a)`)."""

    __slots__ = ("type", "arguments", "braced")
    child_fields = ("type", "arguments")
    attr_names = ("braced",)


class NamedCast(Extension):
    """`static_cast<T>(e)` and its three sisters; `kind` is the word before `_cast`."""

    __slots__ = ("kind", "type", "expression")
    child_fields = ("type", "expression")
    attr_names = ("kind",)


class Lambda(Extension):
    """`captures` is a list of Capture; `parameters` a ParamList or None; `result` a Typename."""

    __slots__ = ("captures", "parameters", "specifiers", "result", "body")
    child_fields = ("captures", "parameters", "result", "body")
    attr_names = ("specifiers",)


class Capture(Extension):
    """`&`, `=`, `x`, `&x`, `x = e`, `this`, `*this`; `name` is None for a default capture."""

    __slots__ = ("by_reference", "name", "value")
    child_fields = ("value",)
    attr_names = ("by_reference", "name")


class New(Extension):
    """`new (place) T[n](args)`: `type` a Typename, `count` the extent or None."""

    __slots__ = ("place", "type", "count", "arguments")
    child_fields = ("place", "type", "count", "arguments")


class Delete(Extension):
    """`delete p`, `delete[] p`."""

    __slots__ = ("expression", "array")
    child_fields = ("expression",)
    attr_names = ("array",)


class Throw(Extension):
    """`throw e`; `expression` is None for a rethrow."""

    __slots__ = ("expression",)
    child_fields = ("expression",)


class Fold(Extension):
    """`(pack op ...)` and its three sisters; `left` or `right` is None on the side of `...`."""

    __slots__ = ("op", "left", "right")
    child_fields = ("left", "right")
    attr_names = ("op",)


class Launch(Extension):
    """`kernel<<<grid, block, shared, stream>>>(arguments)`; `configuration` has 2 to 4 entries."""

    __slots__ = ("kernel", "configuration", "arguments")
    child_fields = ("kernel", "configuration", "arguments")


class StatementExpression(Extension):
    """GNU `({ ... })`."""

    __slots__ = ("body",)
    child_fields = ("body",)


def member_name(access: Any) -> str:
    """The member that the node c_ast.StructRef names, `sum` of `a.sum` and of `a.Base::sum`."""
    field = access.field
    return str((field.parts[-1] if isinstance(field, QualifiedName) else field).name)
