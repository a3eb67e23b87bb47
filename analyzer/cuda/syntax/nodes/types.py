"""Names and types."""

from __future__ import annotations

from .base import Extension
from .c_ast import c_ast


class QualifiedName(Extension):
    """`cg::tiled_partition<32>`: `parts` are c_ast.ID or TemplateId; `rooted`: a leading `::`."""

    __slots__ = ("parts", "rooted")
    child_fields = ("parts",)
    attr_names = ("rooted",)


class TemplateId(Extension):
    """`name<arguments>`; an argument is an expression or a c_ast.Typename."""

    __slots__ = ("name", "arguments")
    child_fields = ("arguments",)
    attr_names = ("name",)


_VARIABLE = "<>"  # behind the name of the class that a variable template is read as


def variable_class(name: str) -> str:
    """The name in the syntax tree of the class whose constant `value` a variable template is."""
    return name + _VARIABLE


def variable_value(name: TemplateId) -> QualifiedName:
    """The node of `width<float>` as the constant of the class that this variable template is."""
    owner = TemplateId(variable_class(name.name), name.arguments, coord=name.coord)
    return QualifiedName([owner, c_ast.ID("value", name.coord)], False, coord=name.coord)


class NamedType(Extension):
    """A type name that is more than one word: `name` is a QualifiedName or TemplateId.

    Stands where c_ast has IdentifierType: inside a TypeDecl.
    """

    __slots__ = ("name",)
    child_fields = ("name",)


class DecltypeType(Extension):
    """`decltype(expression)`; stands where c_ast has IdentifierType."""

    __slots__ = ("expression",)
    child_fields = ("expression",)


class Reference(Extension):
    """`T&` (or `T&&` when `rvalue`): the reference's PtrDecl."""

    __slots__ = ("quals", "type", "rvalue")
    child_fields = ("type",)
    attr_names = ("quals", "rvalue")


class MemberPointer(Extension):
    """`T S::*`: `owner` is the class as it is written."""

    __slots__ = ("owner", "type")
    child_fields = ("type",)
    attr_names = ("owner",)


class Pack(Extension):
    """`expression...` or `Type...`: a pack expansion or a declared pack."""

    __slots__ = ("pattern",)
    child_fields = ("pattern",)
