"""Which class a method is looked for in: that of the expression, not that of the object.

In: the call of a method. Out: the method that C++ takes (C++ standard, [class.member.lookup],
[class.virtual]): one of the class that a reference, a pointer or the method around names, unless it
is virtual there, which means the object's own. Places here are the objects themselves, whatever
they are called through; what they are called through is noted beside the names of references.

Not handled: references that calls return, members that are references, and virtual functions of
objects behind pointers into memory, of which nothing is known but the pointer's type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model.classes import is_or_has_base, lineage
from ..model.ctypes import Form
from ..model.scope import ClassScope
from ..operators.overloads import arrow
from ..resolution.methods import find_method

if TYPE_CHECKING:
    from ..model.classes import Method
    from ..model.scope import Place
    from ..state.context import Context


def note_reference(context: Context, node: Any, place: Place) -> None:
    """Remember what a reference to a base of an object is declared with."""
    context.scope.seen_as.pop(node.name, None)
    if not isinstance(place.type.origin, ClassScope) or not place.type.origin.bases:
        return
    type = context.reader.read(node.type, context.scope)
    if type.form is Form.CLASS and isinstance(type.origin, ClassScope):
        context.scope.seen_as[node.name] = type.origin


def receiver(context: Context, callee: Any) -> tuple[Place, object]:
    """The object whose method is called, and the class that it is called through."""
    named = callee.name
    this = context.frame.this
    if isinstance(named, c_ast.ID) and named.name == "this" and this is not None:
        return this, context.frame.seen_as
    base = context.place(named)
    if callee.type != "->":
        seen = context.scope.seen_as_of(named.name) if isinstance(named, c_ast.ID) else None
        return base, seen or base.type.origin
    element = base.type.element
    if base.type.form is Form.POINTER and element is not None:
        return arrow(context, base), element.origin
    found = arrow(context, base)
    return found, found.type.origin


def method_seen(
    context: Context,
    receiver: tuple[Place, object],
    name: str,
    places: list[Place],
    explicit: list[Any],
) -> Method | None:
    """The method of an object that a call means through a class that it is or has as a base."""
    base, seen = receiver
    origin = base.type.origin
    if not isinstance(origin, ClassScope):
        return None
    through = _within(origin, seen)
    if through is not origin and not _is_virtual(context, through, name):
        found = find_method(context, through, name, places, base, explicit=explicit)
        if found is not None:
            return found
    return find_method(context, origin, name, places, base, explicit=explicit)


def own_method(
    context: Context, callee: Any, name: str, places: list[Place], explicit: list[Any]
) -> Method | None:
    """The method that a name means inside of its class, or behind `Class::`."""
    this = context.frame.this
    if isinstance(callee, nodes.QualifiedName):
        owner = context.reader.owner(callee, context.scope)
        origin = None if this is None else this.type.origin
        inside = isinstance(owner, ClassScope) and is_or_has_base(origin, owner)
        if not owner:
            return None
        found = this if inside else None
        return find_method(context, owner, name, places, found, explicit=explicit)
    if this is None:
        return None
    return method_seen(context, (this, context.frame.seen_as), name, places, explicit)


def _within(origin: ClassScope, seen: object) -> ClassScope:
    """The class that an object is seen as, as the object has it; its own where it has none."""
    if not isinstance(seen, ClassScope) or seen.definition is origin.definition:
        return origin
    return next((each for each in lineage(origin) if each.definition is seen.definition), origin)


def _is_virtual(context: Context, owner: ClassScope, name: str) -> bool:
    """Whether a class or a base of it declares functions of that name virtual."""
    return any(
        "virtual" in function.decl.funcspec
        for each in lineage(owner)
        for function in context.program.methods(each.definition, name)
    )
