"""Types and defaults of parameters as the source spells them.

In: a parameter of a function or a template. Out: its type and its default, as text on one line
without comments. The text is cut from the source. A parameter that a macro wrote has no text of its
own there: its type is then spelt from the tree, with dimensions and template arguments as far as
they are names and literals (`...` for the rest), and its default is left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from . import nodes
from .nodes.c_ast import c_ast

if TYPE_CHECKING:
    from ...source.text import Span

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_DEFAULT = re.compile(r"(?<![<>=!\[])=(?!=)")  # not that of a comparison or of a lambda's captures
_BLANKS = re.compile(r"\s+")


def declared_text(node: Any, header: Span | None) -> tuple[str, str]:
    """Type and default of a parameter (a Decl, Typename or TemplateParameter) in `header`."""
    text = _own_text(node, header)
    if text is None:
        return _spelt(node), ""
    declared, default = _split(text)
    place = _place_of(_name_of(node), declared)
    if place is not None:
        before, after = declared[: place.start()].rstrip(), declared[place.end() :].lstrip()
        joined = not before or after[:1] in ("", ")", "[")
        declared = f"{before}{'' if joined else ' '}{after}"
    return declared, default


def one_line(text: str) -> str:
    """Source text without comments, its blanks and line ends made one blank each."""
    return _BLANKS.sub(" ", _COMMENT.sub(" ", text).replace("\\\n", " ")).strip()


# ---- from the source -----------------------------------------------------------------------------


def _name_of(node: Any) -> str:
    """The declared name; a pack is wrapped, and a Typename has none."""
    return getattr(node, "name", None) or ""


def _own_text(node: Any, header: Span | None) -> str | None:
    """The parameter's own text; None when it comes from a macro."""
    span: Span | None = getattr(node, "coord", None)
    if span is None or header is None or not header.covers(span) or span == header:
        return None
    text = one_line(span.text)
    if _name_of(node) and _place_of(_name_of(node), _split(text)[0]) is None:
        return None
    balanced = all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))
    return text if balanced else None


def _split(text: str) -> tuple[str, str]:
    """What stands before and behind the `=` of a default."""
    found = _DEFAULT.search(text)
    if found is None:
        return text, ""
    return text[: found.start()].rstrip(), text[found.end() :].lstrip()


def _place_of(name: str, text: str) -> re.Match[str] | None:
    """Where a declaration names its parameter: the last such word outside of dimensions."""
    if not name:
        return None
    found = re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    outside = [one for one in found if text.count("[", one.end()) == text.count("]", one.end())]
    return outside[-1] if outside else None


# ---- from the tree -------------------------------------------------------------------------------


def _spelt(node: Any) -> str:
    if isinstance(node, nodes.TemplateParameter) and node.kind != "value":
        word = "typename" if node.kind == "type" else "template"
        return f"{word}..." if node.pack else word
    try:
        return _type(node.type)
    except RecursionError:
        return "..."


def _type(node: Any) -> str:
    """A type in C++ spelling, its declarator built from the outside in."""
    declarator = ""
    while True:
        match node:
            case c_ast.Typename() | c_ast.Decl():
                node = node.type
            case c_ast.PtrDecl() | nodes.Reference():
                declarator = _indirection(node) + declarator
                node = node.type
                if isinstance(node, c_ast.ArrayDecl | c_ast.FuncDecl):
                    declarator = f"({declarator})"
            case c_ast.ArrayDecl():
                declarator += f"[{argument_text(node.dim) if node.dim is not None else ''}]"
                node = node.type
            case c_ast.FuncDecl():
                given = node.args.params if node.args is not None else ()
                declarator += f"({', '.join(map(_type, given))})"
                node = node.type
            case nodes.Pack():
                declarator = f"...{declarator}"
                node = node.pattern
            case _:
                return _with_declarator(node, declarator)


def _indirection(node: Any) -> str:
    if isinstance(node, nodes.Reference):
        return "&&" if node.rvalue else "&"
    quals = " ".join(node.quals or ())
    return f"*{quals} " if quals else "*"


def _with_declarator(node: Any, declarator: str) -> str:
    words = list(getattr(node, "quals", None) or ())
    words.append(_name(node.type if isinstance(node, c_ast.TypeDecl) else node))
    separator = "" if declarator[:3] == "..." else " "
    return f"{' '.join(words)}{separator}{declarator}".strip()


def _name(node: Any) -> str:
    match node:
        case c_ast.IdentifierType():
            return " ".join(node.names)
        case nodes.NamedType():
            return _name(node.name)
        case nodes.QualifiedName():
            return ("::" if node.rooted else "") + "::".join(map(_name, node.parts))
        case nodes.TemplateId():
            return f"{node.name}<{', '.join(map(argument_text, node.arguments))}>"
        case _:
            return getattr(node, "name", None) or "..."


def argument_text(node: Any) -> str:
    """A template argument or a dimension."""
    match node:
        case c_ast.Typename():
            return _type(node)
        case c_ast.Constant():
            return str(node.value)
        case c_ast.ID() | nodes.TemplateId() | nodes.QualifiedName():
            return _name(node)
        case _:
            return "..."
