"""Classes at work: methods with the objects they are called on, and who is derived from whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....source.records import dataclass
from .scope import ClassScope, Scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...syntax import nodes
    from .ctypes import CType
    from .scope import Place


@dataclass(frozen=True, slots=True)
class Method:
    """A member function with the class it belongs to, and the object it is called on."""

    function: nodes.Function
    owner: ClassScope
    this: Place | None = None


def lineage(origin: object) -> Iterator[ClassScope]:
    """A class and its bases, in the order in which C++ looks for names. Each once, also where it
    is inherited along several ways: the ways may double with each class.
    """
    seen: set[ClassScope] = set()
    waiting = [origin]
    while waiting:
        found = waiting.pop()
        if isinstance(found, ClassScope) and found not in seen:
            seen.add(found)
            yield found
            waiting += [base.origin for base in reversed(found.bases)]


def is_or_has_base(origin: object, wanted: ClassScope) -> bool:
    """Whether a class is another one, or derived from it."""
    return any(each is wanted or each.definition is wanted.definition for each in lineage(origin))


def is_reached_as(place: Place, element: CType | None) -> bool:
    """Whether a pointer to a type of C++ reaches the whole of a place: the same type, or a base."""
    if element is None or element.form is not place.type.form:
        return False
    if element.name == place.type.name:
        return True
    base = element.origin
    return isinstance(base, ClassScope) and is_or_has_base(place.type.origin, base)


def class_scope(method: Method) -> Scope:
    """The names in force in a method: outside of its class it names the parameters anew."""
    scope = Scope(method.owner.scope)
    definition, function = method.owner.definition, method.function
    if function.template is None or definition.template is None or not function.scope:
        return scope
    inside = any(member is function for member in definition.members)
    if inside:
        return scope
    given = getattr(definition, "arguments", None)
    if given is not None:
        return scope
    for own, outer in zip(
        function.template.parameters, definition.template.parameters, strict=False
    ):
        bound = method.owner.scope.find(outer.name) if outer.name else None
        type = method.owner.scope.find_type(outer.name) if outer.name else None
        if own.name and bound is not None:
            scope.names[own.name] = bound
        if own.name and type is not None:
            scope.types[own.name] = type
    return scope
