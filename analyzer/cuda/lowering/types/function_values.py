"""Functions of the file where a value stands: arguments of templates and of calls.

In: an expression that is a name, `&name`, `&S::name` or a template parameter bound to such. Out: a
place whose type says which function or member it is, so that a call through it is read like a call
by name. Pointers to functions that are stored in memory, or in variables that change, are not
followed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir.values import Unknown
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model.classes import lineage
from ..model.ctypes import CType, Form
from ..model.scope import ClassScope, FunctionValue, LambdaValue, MemberValue, Typed, ValuePlace

if TYPE_CHECKING:
    from ..model.scope import Binding, Scope
    from ..program.program import Program
    from .reading import Reader

TO_MEMBERS = frozenset({".*", "->*"})


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


def member_named(node: Any, scope: Scope, reader: Reader) -> ValuePlace | None:
    """The member of a class that `&S::name` points to; None for what a class has once for all."""
    if not isinstance(node, c_ast.UnaryOp) or node.op != "&":
        return None
    named = node.expr
    if not isinstance(named, nodes.QualifiedName) or not isinstance(named.parts[-1], c_ast.ID):
        return None
    owner, name = reader.owner(named, scope), str(named.parts[-1].name)
    if not isinstance(owner, ClassScope) or not _is_of_objects(owner, name):
        return None
    type = CType(Form.CLASS, f"a pointer to {name}", origin=MemberValue(name))
    return ValuePlace(Typed(Unknown(type.ir(), "a member", per_thread=False), type))


def _is_of_objects(owner: ClassScope, name: str) -> bool:
    """Whether every object of a class has a member of its own, or is called with it."""
    for each in lineage(owner):
        for member in each.definition.members or ():
            declared = member.decl if isinstance(member, nodes.Function) else member
            if getattr(declared, "name", None) == name:
                said = (*(declared.storage or ()), *(declared.funcspec or ()))
                return isinstance(declared, c_ast.Decl) and "static" not in said
    return False


def member_of(type: CType) -> str | None:
    """The member that a value of a type points to."""
    return type.origin.name if isinstance(type.origin, MemberValue) else None


def is_name(type: CType) -> bool:
    """Whether a type says which function or member its value is: it holds for no other value."""
    return isinstance(type.origin, FunctionValue | LambdaValue | MemberValue)


def may_name(type: CType) -> bool:
    """Whether a variable of this type may hold a function: `int (*f)(int)`, `auto *f`."""
    held = type.element
    return type.form is Form.POINTER and held is not None and held.name in ("auto", "function")


def function_of(binding: Binding | None) -> str:
    """The name of the function that a name of C++ is bound to; "" for anything else."""
    origin = binding.value.type.origin if isinstance(binding, ValuePlace) else None
    return origin.name if isinstance(origin, FunctionValue) else ""
