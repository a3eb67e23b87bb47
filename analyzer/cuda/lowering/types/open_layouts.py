"""The layouts of class templates whose parameters are open: one for all places that mean the same.

In: a class template by its plain name, the scope that names it, and how to lay it out. Out: its
type, the same wherever the names that its bases and data members mention stand for the same. Names
in the bodies of its methods decide nothing but for its parameters. Not handled: a name that only an
alias of the file mentions, `typedef T held;` where `T` is bound in the scope.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir.values import Constant
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model.scope import PackPlace, ValuePlace
from ..program.parameters import names_in
from . import template_packs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..model.ctypes import CType
    from ..model.scope import Scope

_CONSTANT = frozenset({"static", "constexpr"})


class OpenLayouts:
    """Layouts of class templates, by what the names that they mention are bound to."""

    def __init__(self) -> None:
        self._made: dict[object, tuple[CType, list[object]]] = {}  # with what its key names by id
        self._mentioned: dict[nodes.ClassDefinition, tuple[str, ...]] = {}

    def of(self, node: nodes.ClassDefinition, scope: Scope, lay_out: Callable[[], CType]) -> CType:
        """The type of a class template as that scope reads it."""
        names = self._mentioned.get(node)
        if names is None:
            names = self._mentioned[node] = tuple(dict.fromkeys(_mentioned(node)))
        held: list[object] = []
        key = (node, *_bindings(names, scope, held))
        known = self._made.get(key)
        if known is None:
            known = self._made[key] = lay_out(), held
        return known[0]


def _mentioned(node: nodes.ClassDefinition) -> Iterator[str]:
    """The names outside of a class that its layout may rest on."""
    own = {parameter.name for parameter in node.template.parameters if parameter.name}
    yield from sorted(own)
    declared = set(_declared(node)) - own
    for part in (*(node.bases or ()), *(node.members or ()), *(node.alignment or ())):
        if not isinstance(part, nodes.Function):
            yield from (each for each in names_in(part, nodes.Function) if each not in declared)


def _declared(node: nodes.ClassDefinition) -> Iterator[str]:
    """The names that a class binds itself before those around it are asked for."""
    for member in node.members or ():
        enum = member.type if isinstance(member, c_ast.Decl) else member
        if isinstance(enum, c_ast.Enum) and enum.values is not None:
            yield from (each.name for each in enum.values.enumerators)
        constant = isinstance(member, c_ast.Decl) and _CONSTANT & set(member.storage or ())
        inner = isinstance(member, nodes.ClassDefinition) and member.template is None
        if constant or inner or isinstance(member, nodes.TypeAlias | c_ast.Typedef):
            yield member.name


def _bindings(names: tuple[str, ...], scope: Scope, held: list[object]) -> Iterator[object]:
    """What the names are bound to in a scope, those left out that are not; nothing is evaluated
    for it. `held` takes what is told apart by its identity.
    """
    around = [each for each in scope.outwards() if each.names or each.types or each.pending]
    for name in names:
        for each in around:
            if name in each.pending:
                held.append(each)
                yield name, id(each)
                break
            type, place = each.types.get(name), each.names.get(name)
            if type is not None:
                held.append(type)
                yield name, _told(type)
            if place is not None:
                held.append(place)
                yield name, _value(place)
            if type is not None and place is not None:
                break


def _told(type: CType | None) -> object:
    """What tells types apart: the same class of another instance is another type."""
    if type is None:
        return None
    plain = type.form, type.name, type.size, type.const, type.volatile, type.extent
    return *plain, id(type.origin), _told(type.element)


def _value(place: Any) -> object:
    """What tells values apart: constants by what they are."""
    if isinstance(place, PackPlace):
        return template_packs.identity(place)
    value = place.value.value if isinstance(place, ValuePlace) else None
    return (
        (value.value, value.type, _told(place.value.type))
        if isinstance(value, Constant)
        else id(place)
    )
