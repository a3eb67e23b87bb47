"""Which types of a template are numbers, as far as the template's own text shows it.

In: a function template. Out: a type for each parameter that only numbers can be meant by: integers
where remainders, shifts or bits are taken of its variables, or arrays are indexed by them, else
floats. A type that members are asked of, or whose variables are called, is no number.
Not handled: what functions that are called do with such a variable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .lowering.model import ctypes
from .lowering.program.parameters import parameters_of
from .lowering.program.template_arguments import plain_name
from .syntax import nodes
from .syntax.nodes.c_ast import c_ast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .lowering.model.ctypes import CType

_OF_INTEGERS = frozenset(
    {"%", "<<", ">>", "&", "|", "^", "%=", "<<=", ">>=", "&=", "|=", "^=", "~"}
)


def number_types(function: nodes.Function, names: set[str]) -> dict[str, CType]:
    """The type parameters of a template, among those names, that its text uses as numbers."""
    variables = {name: set[str]() for name in names}
    for declared in _declared(function):
        type = _plain(declared.type)
        if type in variables and declared.name:
            variables[type].add(declared.name)
    classes, integers = _uses(function.body)
    return {
        name: ctypes.INT if own & integers else ctypes.FLOAT
        for name, own in variables.items()
        if own and not own & classes and name not in classes
    }


def _declared(function: nodes.Function) -> Iterator[Any]:
    yield from parameters_of(function)
    yield from (each for each in nodes.walk(function.body) if isinstance(each, c_ast.Decl))


def _plain(type: Any) -> str:
    """The one word that a declared type, an array or a pointer is made of."""
    while isinstance(type, c_ast.ArrayDecl | c_ast.PtrDecl):
        type = type.type
    return plain_name(type)


def _uses(body: Any) -> tuple[set[str], set[str]]:
    """The names that something is asked of which numbers do not have, and those of integers."""
    classes: set[str] = set()
    integers: set[str] = set()
    for node in nodes.walk(body):
        if isinstance(node, nodes.QualifiedName):
            classes.update(part.name for part in node.parts[:-1] if isinstance(part, c_ast.ID))
        elif isinstance(node, c_ast.FuncCall | c_ast.StructRef):
            classes.update(_base(node.name))
        elif isinstance(node, c_ast.ArrayRef):
            integers.update(_names(node.subscript))
        elif isinstance(node, c_ast.BinaryOp | c_ast.Assignment) and node.op in _OF_INTEGERS:
            left, right = (
                (node.left, node.right)
                if isinstance(node, c_ast.BinaryOp)
                else (node.lvalue, node.rvalue)
            )
            integers.update(_names(left), _names(right))
    return classes, integers


def _base(node: Any) -> Iterator[str]:
    """The variable whose member or call stands there: `a` in `a[i].x`."""
    while isinstance(node, c_ast.ArrayRef):
        node = node.name
    if isinstance(node, c_ast.ID):
        yield node.name


def _names(expression: Any) -> Iterator[str]:
    """The variables that an expression is made of, but for what arrays and calls take in."""
    if isinstance(expression, c_ast.ID):
        yield expression.name
    elif isinstance(expression, c_ast.ArrayRef):
        yield from _base(expression)
    elif isinstance(expression, c_ast.BinaryOp):
        yield from _names(expression.left)
        yield from _names(expression.right)
    elif isinstance(expression, c_ast.UnaryOp | c_ast.Cast):
        yield from _names(expression.expr)
