"""Functions of the file where a value stands: arguments of templates and of calls.

In: an expression that is a name, `&name` or a template parameter bound to such. Out: a place whose
type says which function it is, so that a call through it is read like a call by name. Pointers to
functions that are stored in variables or memory are not followed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir.values import Unknown
from ...syntax.nodes.c_ast import c_ast
from ..model.ctypes import CType, Form
from ..model.scope import FunctionValue, Typed, ValuePlace

if TYPE_CHECKING:
    from ..model.scope import Binding, Scope
    from ..program.program import Program


def function_named(node: Any, scope: Scope, program: Program) -> ValuePlace | None:
    """The function that an expression names; None when it names none of this file."""
    if isinstance(node, c_ast.UnaryOp) and node.op == "&":
        node = node.expr
    if not isinstance(node, c_ast.ID):
        return None
    bound = scope.find(node.name)
    if bound is not None:
        return bound if isinstance(bound, ValuePlace) and function_of(bound) else None
    if node.name in program.variables or not program.device_functions(node.name):
        return None
    type = CType(Form.CLASS, node.name, origin=FunctionValue(node.name))
    return ValuePlace(Typed(Unknown(type.ir(), "a function", per_thread=False), type))


def function_of(binding: Binding | None) -> str:
    """The name of the function that a name is bound to; "" for anything else."""
    origin = binding.value.type.origin if isinstance(binding, ValuePlace) else None
    return origin.name if isinstance(origin, FunctionValue) else ""
