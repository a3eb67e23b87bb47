"""Kernels named in host code, also through a variable: `auto kernel = &scale<float, 4>;`.

In: an expression and the scope around it. Out: the kernels that it may be, each with its template
parameters bound as they are where it is written. Not handled: pointers to kernels in arrays and
members, and those that functions return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir.types import UNKNOWN
from ....ir.values import Unknown
from ...lowering.model import ctypes
from ...lowering.model.scope import ClassScope, KernelChoice, KernelValue, PackPlace, Scope, Typed
from ...lowering.program.program import DEVICE, GLOBAL
from ...lowering.types import constant_places
from ...lowering.types.function_values import function_of
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from .instances import explicit_arguments

if TYPE_CHECKING:
    from ...lowering.model.ctypes import CType
    from ...lowering.model.scope import Binding, Place
    from ...lowering.program.program import Program
    from ...lowering.types.type_reader import TypeReader

CHOICE_LIMIT = 16  # kernels that one variable may point to; more are not followed
_POINTING = frozenset("&*")  # as operators in front of a function: both give it again
_POINTER = ctypes.unknown("kernel")


def kernel_name(node: Any) -> str:
    """The plain name of a launched kernel in `name`, `space::name<...>`, `&name`, casts of them."""
    node = bare(node)
    if isinstance(node, nodes.QualifiedName):
        node = node.parts[-1]
    return node.name if isinstance(node, nodes.TemplateId | c_ast.ID) else ""


def is_kernel(function: nodes.Function) -> bool:
    """Whether a function is `__global__`: one that launches name."""
    return GLOBAL in function.decl.funcspec


def is_of_device(function: nodes.Function) -> bool:
    """Whether only the device runs a function, which may launch kernels, too."""
    marks = function.decl.funcspec
    return is_kernel(function) or (DEVICE in marks and "__host__" not in marks)


def qualifiers(node: Any) -> tuple[str, ...]:
    """The namespaces or the class that host code writes before a name: `a` and `b` of `a::b::f`."""
    node = bare(node)
    parts = node.parts[:-1] if isinstance(node, nodes.QualifiedName) else ()
    return tuple(getattr(part, "name", "") for part in parts if getattr(part, "name", ""))


def kernels_named(
    node: Any, scope: Scope, program: Program, reader: TypeReader
) -> KernelChoice | None:
    """The kernels that an expression of host code may be; None when it is not seen to be any."""
    node = bare(node)
    if isinstance(node, c_ast.TernaryOp):
        ways = [kernels_named(way, scope, program, reader) for way in (node.iftrue, node.iffalse)]
        return either(*ways)
    name = kernel_name(node)
    if not name:
        return None
    if isinstance(node, c_ast.ID):
        bound = scope.find(name)
        if bound is not None:
            return bound if isinstance(bound, KernelChoice) else None
    kernels = [f for f in program.functions.get(name, ()) if GLOBAL in f.decl.funcspec]
    kernels = kernels or program.declared_kernels.get(name, [])
    if not kernels:
        return None
    inner = Scope()
    explicit = explicit_arguments(node)
    template = next((f.template for f in kernels if f.template is not None), None)
    if template is not None:
        reader.bind_arguments(template, explicit, inner, scope)
    return _choice(KernelValue(name, argument_words(inner, template, explicit), inner))


def either(*ways: Binding | None) -> KernelChoice | None:
    """The kernels that a variable of host code may point to where it was set in several ways. A way
    on which it holds no kernel that is known is left out: a launch there is not one of these.
    """
    kernels = dict.fromkeys(k for way in ways if isinstance(way, KernelChoice) for k in way.kernels)
    return _choice(*kernels) if 0 < len(kernels) <= CHOICE_LIMIT else None


def _choice(*kernels: KernelValue) -> KernelChoice:
    return KernelChoice(Typed(Unknown(UNKNOWN, "a kernel"), _POINTER), kernels)


def bare(node: Any) -> Any:
    """An expression of host code without casts and `&`."""
    while isinstance(node, c_ast.Cast | nodes.NamedCast | c_ast.UnaryOp):
        if isinstance(node, c_ast.UnaryOp) and node.op not in _POINTING:
            break
        node = node.expression if isinstance(node, nodes.NamedCast) else node.expr
    return node


def uncast(node: Any) -> Any:
    """An expression of host code without casts."""
    while isinstance(node, c_ast.Cast | nodes.NamedCast):
        node = node.expression if isinstance(node, nodes.NamedCast) else node.expr
    return node


def argument_words(
    bound: Scope, template: nodes.Template | None, explicit: list[Any]
) -> tuple[str, ...]:
    """Template arguments of a launched kernel in words: what they are bound to, else as written."""
    words: list[str] = []
    for index, parameter in enumerate(template.parameters if template is not None else ()):
        pack = bound.find(parameter.name) if parameter.pack else None
        if isinstance(pack, PackPlace):
            return (*words, *(_element_word(each) for each in pack.places))
        word = _word(bound, parameter)
        if not word and index >= len(explicit):
            break  # a pack, or a parameter that nothing in sight settles
        words.append(word or text_of(explicit[index]))
    return tuple(words)


def text_of(node: Any) -> str:
    """An expression of host code as it is written."""
    coord = getattr(node, "coord", None)
    return "" if coord is None else " ".join(coord.text.split())


def _word(bound: Scope, parameter: Any) -> str:
    """A template argument as a value or type; "" when it is not known."""
    if parameter.kind == "type":
        type = bound.find_type(parameter.name)
        return "" if type is None or type.form is ctypes.Form.UNKNOWN else type_word(type)
    place = bound.find(parameter.name)
    value = constant_places.held_by(place)
    return function_of(place) if value is None else str(value)


def _element_word(place: Place) -> str:
    """An element of a pack: a constant or a type."""
    value = constant_places.held_by(place)
    return type_word(place.type) if value is None else str(value)


def type_word(type: CType) -> str:
    """A type by its name; one made of a template with its arguments."""
    origin = type.origin
    if not isinstance(origin, ClassScope) or origin.definition.template is None:
        return type.name
    words = argument_words(origin.scope, origin.definition.template, [])
    return f"{type.name}<{', '.join(words)}>"
