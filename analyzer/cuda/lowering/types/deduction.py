"""Template arguments that follow from the arguments of a call.

In: the declared type of a parameter and the type of what is given for it. Out: the open parameters
bound in a scope. Covers `T`, `T*`, `const T&`, `T (&a)[N]`, `Vec<T, N> &` (C++ standard,
[temp.deduct.call], its simple forms).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model import ctypes
from ..model.ctypes import CType, Form
from ..model.layouts import is_copied
from ..model.scope import ClassScope, PackPlace, Scope, ValuePlace
from ..program.template_arguments import as_type, name_of
from . import constant_places, template_packs

if TYPE_CHECKING:
    from collections.abc import Iterable


def deducible(parameters: list[Any]) -> dict[str, Any]:
    """The parameters of a template that arguments of a call can settle, by name."""
    return {parameter.name: parameter for parameter in parameters if parameter.name}


def deduce(node: Any, type: CType, open_names: dict[str, Any], scope: Scope) -> None:
    """Bind the open parameters that a declared type and the type of an argument settle."""
    whole = True
    while isinstance(node, nodes.Reference | nodes.Pack):
        whole = whole and not isinstance(node, nodes.Reference)
        if isinstance(node, nodes.Pack):
            open_names = {name: each for name, each in open_names.items() if not each.pack}
        node = node.type if isinstance(node, nodes.Reference) else node.pattern
    _deduce(node, type, open_names, scope, whole=whole)


def pack_of_types(parameter: Any, types: Iterable[CType]) -> dict[str, PackPlace]:
    """What the arguments of a parameter pack say of its types, by their name: `T` of
    `const T *...each`; nothing where they have none.
    """
    pattern = parameter.type.pattern
    names = [name for node in nodes.walk(pattern) for name in getattr(node, "names", None) or ()]
    if not names:
        return {}
    found: list[CType] = []
    for type in types:
        inner = Scope()
        deduce(pattern, type, {names[-1]: pattern}, inner)
        found.append(inner.types.get(names[-1], ctypes.unknown(names[-1])))
    return {names[-1]: template_packs.of_types(names[-1], found)}


def _deduce(
    node: Any, type: CType, open_names: dict[str, Any], scope: Scope, *, whole: bool = False
) -> None:
    """`whole` is a parameter that is no reference: the argument's own qualifiers are dropped, and
    an array is a pointer.
    """
    if isinstance(node, c_ast.Typename):
        _deduce(node.type, type, open_names, scope)
    elif isinstance(node, c_ast.IdentifierType):
        if node.names[-1] in open_names and node.names[-1] not in scope.types:
            scope.types[node.names[-1]] = type
    elif isinstance(node, nodes.NamedType):
        _deduce_instance(node.name, type, open_names, scope)
    elif isinstance(node, c_ast.TypeDecl) and isinstance(node.type, nodes.NamedType):
        _deduce_instance(node.type.name, type, open_names, scope)
    elif isinstance(node, c_ast.TypeDecl):
        names = getattr(node.type, "names", None)
        if names and names[-1] in open_names and names[-1] not in scope.types:
            type = ctypes.decayed(type) if whole else type
            quals = node.quals or ()
            scope.types[names[-1]] = replace(
                type,
                const=type.const and not whole and "const" not in quals,
                volatile=type.volatile and not whole and "volatile" not in quals,
            )
    elif isinstance(node, c_ast.PtrDecl) and type.element is not None:
        _deduce(node.type, type.element, open_names, scope)
    elif isinstance(node, c_ast.ArrayDecl) and type.form is Form.ARRAY and type.element is not None:
        dimension = getattr(node.dim, "name", None)
        if dimension in open_names and type.extent is not None and dimension not in scope.names:
            scope.names[dimension] = constant_places.place(type.extent, ctypes.INT)
        _deduce(node.type, type.element, open_names, scope)


def _deduce_array(
    arguments: list[Any], type: CType, open_names: dict[str, Any], scope: Scope
) -> None:
    """`std::array<T, N>`: its elements and how many they are."""
    element, extent = arguments if len(arguments) == 2 else (None, None)
    if element is not None and type.element is not None:
        _deduce(as_type(element), type.element, open_names, scope)
    passed = extent.name if isinstance(extent, c_ast.ID) else ""
    if passed in open_names and passed not in scope.names and type.extent is not None:
        scope.names[passed] = constant_places.place(type.extent, ctypes.ULONG)


def _deduce_instance(name: Any, type: CType, open_names: dict[str, Any], scope: Scope) -> None:
    """`Vec<T, N>`: what an instance of that class template was made with."""
    written = name.parts[-1] if isinstance(name, nodes.QualifiedName) else name
    if is_copied(type) and isinstance(written, nodes.TemplateId):
        _deduce_array(written.arguments, type, open_names, scope)
        return
    instance = type.origin.instance if isinstance(type.origin, ClassScope) else None
    if instance is None or not isinstance(written, nodes.TemplateId):
        return
    definition, bound = instance
    if definition.name != written.name:
        return
    for parameter, argument in zip(definition.template.parameters, written.arguments, strict=False):
        if parameter.pack:
            _deduce_pack(parameter.name, argument, bound, open_names, scope)
            return  # what follows stands at other places
        if parameter.kind == "type":
            held = bound.types.get(parameter.name)
            if held is not None and held.form is not Form.UNKNOWN:
                _deduce(as_type(argument), held, open_names, scope)
            continue
        given = bound.names.get(parameter.name)
        passed = argument.name if isinstance(argument, c_ast.ID) else ""
        if passed in open_names and passed not in scope.names and isinstance(given, ValuePlace):
            scope.names[passed] = given


def _deduce_pack(
    name: str, argument: Any, bound: Scope, open_names: dict[str, Any], scope: Scope
) -> None:
    """`sequence<I...>`: the whole of a pack."""
    passed = name_of(argument.pattern) if isinstance(argument, nodes.Pack) else ""
    given = bound.names.get(name)
    if passed in open_names and passed not in scope.names and isinstance(given, PackPlace):
        scope.names[passed] = given
