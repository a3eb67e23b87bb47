"""The AST as one line of text, for people and for tests.

In: any node. Out: an s-expression: `(= ([] a i) (* x 2))`. Names and literals stand for themselves,
operators come first, types are written in words (`pointer to const float`), and what has no short
form is its class name with its parts. Not meant to be read back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import nodes
from .nodes.c_ast import c_ast

Form = Callable[[Any], str]


def as_text(node: Any) -> str:
    """A node, or a list of nodes in brackets, as text."""
    if node is None:
        return "-"
    if isinstance(node, list):
        return "[" + " ".join(as_text(item) for item in node) + "]"
    form = _FORMS.get(type(node))
    if form is not None:
        return form(node)
    name = type(node).__name__.lower()
    values = [_attribute(getattr(node, attribute)) for attribute in node.attr_names]
    if isinstance(node, nodes.Extension):
        values += [as_text(getattr(node, child)) for child in node.child_fields]
    else:
        values += [as_text(child) for _, child in node.children()]
    return _list(name, *values)


def type_text(node: Any) -> str:
    """A type in words, outermost first."""
    if isinstance(node, c_ast.Typename):
        return type_text(node.type)
    if isinstance(node, c_ast.TypeDecl):
        return " ".join([*node.quals, type_text(node.type)])
    if isinstance(node, c_ast.IdentifierType):
        return " ".join(node.names)
    if isinstance(node, c_ast.PtrDecl):
        return " ".join([*node.quals, "pointer to", type_text(node.type)])
    if isinstance(node, nodes.Reference):
        word = "rvalue reference to" if node.rvalue else "reference to"
        return f"{word} {type_text(node.type)}"
    if isinstance(node, c_ast.ArrayDecl):
        extent = "" if node.dim is None else as_text(node.dim)
        return f"array[{extent}] of {type_text(node.type)}"
    if isinstance(node, c_ast.FuncDecl):
        parameters = node.args.params if node.args else []
        inner = ", ".join(_parameter(parameter) for parameter in parameters)
        return f"function({inner}) to {type_text(node.type)}"
    if isinstance(node, nodes.Pack):
        return f"pack of {type_text(node.pattern)}"
    return as_text(node)


def _parameter(node: Any) -> str:
    if isinstance(node, c_ast.Decl):
        default = "" if node.init is None else f" = {as_text(node.init)}"
        return f"{node.name}: {type_text(node.type)}{default}"
    return "..." if isinstance(node, c_ast.EllipsisParam) else type_text(node)


def _attribute(value: Any) -> str:
    if isinstance(value, list):
        return "{" + " ".join(str(item) for item in value) + "}"
    return "-" if value is None else str(value)


def _list(*words: str) -> str:
    return "(" + " ".join(word for word in words if word) + ")"


def _declaration(node: c_ast.Decl) -> str:
    words = " ".join([*node.funcspec, *node.storage])
    parts = [f"{{{words}}}" if words else "", node.name or "-", ":", type_text(node.type)]
    parts += [as_text(alignment) for alignment in node.align or []]
    parts += [] if node.init is None else ["=", as_text(node.init)]
    parts += [] if node.bitsize is None else ["bits", as_text(node.bitsize)]
    return _list("decl", *parts)


def _function(node: nodes.Function) -> str:
    head = [] if node.template is None else [as_text(node.template)]
    head += [as_text(attribute) for attribute in node.attributes]
    scope = "::".join([*node.scope, ""])
    return _list("function", scope, *head, _declaration(node.decl), as_text(node.body))


def _call(node: c_ast.FuncCall) -> str:
    arguments = node.args.exprs if node.args else []
    return _list("call", as_text(node.name), *map(as_text, arguments))


def _qualified(node: nodes.QualifiedName) -> str:
    start = "::" if node.rooted else ""
    return start + "::".join(as_text(part) for part in node.parts)


def _template_id(node: nodes.TemplateId) -> str:
    return f"{node.name}<{', '.join(as_text(argument) for argument in node.arguments)}>"


def _lambda(node: nodes.Lambda) -> str:
    captures = ", ".join(as_text(capture) for capture in node.captures)
    parameters = node.parameters.params if node.parameters else []
    inner = ", ".join(_parameter(parameter) for parameter in parameters)
    result = "" if node.result is None else f"-> {type_text(node.result)}"
    words = " ".join(node.specifiers)
    return _list("lambda", f"[{captures}]", words, f"({inner})", result, as_text(node.body))


def _capture(node: nodes.Capture) -> str:
    value = "" if node.value is None else f" = {as_text(node.value)}"
    name = ("&" if node.by_reference else "") + (node.name or "")
    return (name or "=") + value


_FORMS: dict[type, Form] = {
    c_ast.ID: lambda n: str(n.name),
    c_ast.Constant: lambda n: str(n.value),
    c_ast.Decl: _declaration,
    c_ast.Typename: type_text,
    c_ast.TypeDecl: type_text,
    c_ast.PtrDecl: type_text,
    c_ast.ArrayDecl: type_text,
    c_ast.FuncDecl: type_text,
    c_ast.IdentifierType: type_text,
    c_ast.BinaryOp: lambda n: _list(n.op, as_text(n.left), as_text(n.right)),
    c_ast.UnaryOp: lambda n: _list(n.op, as_text(n.expr)),
    c_ast.Assignment: lambda n: _list(n.op, as_text(n.lvalue), as_text(n.rvalue)),
    c_ast.ArrayRef: lambda n: _list("[]", as_text(n.name), as_text(n.subscript)),
    c_ast.StructRef: lambda n: _list(n.type, as_text(n.name), as_text(n.field)),
    c_ast.TernaryOp: lambda n: _list("?", *map(as_text, (n.cond, n.iftrue, n.iffalse))),
    c_ast.Cast: lambda n: _list("cast", f"<{type_text(n.to_type)}>", as_text(n.expr)),
    c_ast.FuncCall: _call,
    c_ast.ExprList: lambda n: _list(",", *map(as_text, n.exprs)),
    c_ast.InitList: lambda n: "{" + ", ".join(map(as_text, n.exprs)) + "}",
    c_ast.Compound: lambda n: _list("block", *map(as_text, n.block_items)),
    c_ast.DeclList: lambda n: _list("decls", *map(as_text, n.decls)),
    c_ast.If: lambda n: _list("if", *map(as_text, (n.cond, n.iftrue, n.iffalse))),
    nodes.ConstexprIf: lambda n: _list(
        "if-constexpr", *map(as_text, (n.cond, n.iftrue, n.iffalse))
    ),
    c_ast.For: lambda n: _list("for", *map(as_text, (n.init, n.cond, n.next, n.stmt))),
    c_ast.Return: lambda n: _list("return", "" if n.expr is None else as_text(n.expr)),
    c_ast.Case: lambda n: _list("case", as_text(n.expr), *map(as_text, n.stmts)),
    c_ast.Default: lambda n: _list("default", *map(as_text, n.stmts)),
    c_ast.Typedef: lambda n: _list("typedef", n.name, ":", type_text(n.type)),
    nodes.Function: _function,
    nodes.QualifiedName: _qualified,
    nodes.TemplateId: _template_id,
    nodes.NamedType: lambda n: as_text(n.name),
    nodes.DecltypeType: lambda n: f"decltype({as_text(n.expression)})",
    nodes.Reference: type_text,
    nodes.Lambda: _lambda,
    nodes.Capture: _capture,
    nodes.NamedCast: lambda n: _list(
        f"{n.kind}_cast", f"<{type_text(n.type)}>", as_text(n.expression)
    ),
    nodes.Construct: lambda n: _list(
        "construct{}" if n.braced else "construct",
        "" if n.type is None else f"<{type_text(n.type)}>",
        *map(as_text, n.arguments),
    ),
    nodes.Launch: lambda n: _list(
        "launch", as_text(n.kernel), as_text(n.configuration), as_text(n.arguments)
    ),
}
