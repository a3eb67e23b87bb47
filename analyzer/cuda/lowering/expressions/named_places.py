"""The place that a name means: of a variable, a constant, a builtin, a function.

In: a name, plain or behind namespaces and classes. Out: its place; one of an unknown value where
nothing in sight declares it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir import types as ir
from ....ir.values import Special, SpecialRegister, Unknown
from ...names.conventions import CONSTANT
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model import builtin_types, ctypes
from ..model.classes import is_or_has_base
from ..model.scope import ClassScope, LambdaValue, ReferencePlace, Typed, ValuePlace
from ..program.namespaces import path_names
from ..types import constant_places
from ..types.function_values import function_named
from .variables import file_scope_place

if TYPE_CHECKING:
    from ..model.ctypes import CType
    from ..model.scope import Place
    from ..state.context import Context
    from ..types.constant_arithmetic import Number

_BUILTIN_INDICES = {
    "threadIdx": (Special.THREAD_X, Special.THREAD_Y, Special.THREAD_Z),
    "blockIdx": (Special.BLOCK_X, Special.BLOCK_Y, Special.BLOCK_Z),
    "blockDim": (Special.BLOCK_SIZE_X, Special.BLOCK_SIZE_Y, Special.BLOCK_SIZE_Z),
    "gridDim": (Special.GRID_SIZE_X, Special.GRID_SIZE_Y, Special.GRID_SIZE_Z),
}


def qualified(context: Context, node: nodes.QualifiedName) -> Place:
    """The place of `Traits<T>::width`: by the class, or the last name for a namespace."""
    last = node.parts[-1]
    said = context.reader.said(node, context.scope)
    if said is not None:
        return constant_places.place(said, ctypes.BOOL)
    if isinstance(last, nodes.TemplateId) and context.reader.owner(node, context.scope) is None:
        return context.place(last)
    if not isinstance(last, c_ast.ID):
        return unnamed(ctypes.unknown("auto"))
    number = context.number(node)
    owner = context.reader.owner(node, context.scope)
    if isinstance(owner, ClassScope):
        found = owner.scope.find(last.name)
        if found is not None and not isinstance(found, LambdaValue | ReferencePlace):
            return found
        this = context.frame.this
        own = this is not None and is_or_has_base(this.type.origin, owner)
        if this is not None and own and this.type.member(last.name) is not None:
            return context.member(this, last.name)
    if owner is None:
        return _of_namespace(context, node, last.name, number)
    if number is None:
        return unnamed(ctypes.CONSTANT)
    return constant_places.place(number, _plain(number))


def _of_namespace(
    context: Context, node: nodes.QualifiedName, name: str, number: Number | None
) -> Place:
    """`detail::width`, a number where it is known to be one."""
    variables = context.program.variables
    declared = variables.within(path_names(node.parts[:-1]), name)
    if number is not None:
        type = None if declared is None else context.reader.read(declared.type, context.scope)
        scalar = type is not None and type.is_scalar
        return constant_places.place(number, type if type and scalar else _plain(number))
    if declared is not None:
        return file_scope_place(context, name, declared)
    if variables.is_declared(name):  # by another namespace
        return unnamed(ctypes.CONSTANT if CONSTANT.match(name) else ctypes.unknown("auto"))
    return named(context, name)


def _plain(number: Number) -> CType:
    return ctypes.INT if isinstance(number, int) else ctypes.DOUBLE


def named(context: Context, name: str) -> Place:
    """The place that a plain name in device code means where it stands."""
    bound = context.scope.find(name)
    if isinstance(bound, ReferencePlace):
        return context.pointed_at(context.read(bound.field))
    if bound is not None and not isinstance(bound, LambdaValue):
        return bound
    if name in _BUILTIN_INDICES:
        registers = [
            Typed(SpecialRegister(ir.UINT32, register), ctypes.UINT)
            for register in _BUILTIN_INDICES[name]
        ]
        return ValuePlace(context.aggregate(builtin_types.BUILTIN["dim3"], registers))
    if name == "warpSize":
        return ValuePlace(Typed(context.builder.constant(32), ctypes.INT))
    if name == "this" and context.frame.this is not None:
        return ValuePlace(context.address(context.frame.this))
    number = context.number(c_ast.ID(name))
    if number is not None:
        declared = context.program.variables.get(name)
        type = constant_places.type_of(name, number)
        if declared is not None:
            type = context.reader.read(declared.type, context.scope)
        return constant_places.place(number, type if type.is_scalar else ctypes.INT)
    return function_named(c_ast.ID(name), context.scope, context.program) or file_scope_place(
        context, name
    )


def unnamed(type: CType) -> ValuePlace:
    """A place of which nothing is known but the type."""
    return ValuePlace(Typed(Unknown(type.ir(), "an unknown name", per_thread=False), type))
