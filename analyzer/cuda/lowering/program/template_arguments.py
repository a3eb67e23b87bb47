"""Template arguments and patterns as they are written.

In: arguments and patterns of the tree. Out: the types, names and texts in them; nothing is looked
up.
"""

from __future__ import annotations

import re
from typing import Any

from ...syntax import nodes
from ...syntax.declared_text import argument_text
from ...syntax.nodes.c_ast import c_ast


def as_type(argument: Any) -> Any:
    """A template argument's node that is a type; a bare name may be read as an expression."""
    if isinstance(argument, c_ast.ID):
        return c_ast.IdentifierType([argument.name])
    if isinstance(argument, nodes.TemplateId | nodes.QualifiedName):
        return nodes.NamedType(argument)
    return argument


def template_of(pattern: Any) -> nodes.TemplateId | None:
    """The template and its arguments in the node of `Pair<T, 4>`, of whatever namespace."""
    while isinstance(pattern, c_ast.Typename | c_ast.TypeDecl):
        pattern = pattern.type
    name = pattern.name if isinstance(pattern, nodes.NamedType) else None
    if isinstance(name, nodes.QualifiedName):
        name = name.parts[-1]
    return name if isinstance(name, nodes.TemplateId) else None


def name_of(argument: Any) -> str:
    """The name in the node of a template argument that is a value or a plain type."""
    name = getattr(argument, "name", None)
    return name if isinstance(name, str) else plain_name(argument)


def pattern(arguments: list[Any], template: nodes.Template | None) -> tuple[str, ...]:
    """Template arguments as they are written, the parameters of their own head by number."""
    own = [each.name for each in template.parameters if each.name] if template is not None else []
    numbers = {name: f"#{index}" for index, name in enumerate(own)}

    def word(match: re.Match[str]) -> str:
        return numbers.get(match[0], match[0])

    texts = (argument_text(each) for each in arguments)
    return tuple(re.sub(r"[A-Za-z_]\w*", word, text).replace(" ", "") for text in texts)


def plain_name(pattern: Any) -> str:
    """The name in the node of a template argument that is a plain type, such as `T`."""
    while isinstance(pattern, c_ast.Typename | c_ast.TypeDecl):
        pattern = pattern.type
    return " ".join(getattr(pattern, "names", None) or ())
