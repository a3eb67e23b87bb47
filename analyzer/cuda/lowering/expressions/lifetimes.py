"""Objects whose destructors do something, and when these run.

In: the local variables, parameters and temporaries of classes that the file defines. Out: their
destructors, inlined where their lives end, in the reverse of the order of their construction: at
the end of the block, before a `break`, `continue` or `return` that leaves it, and of a temporary
behind its statement (C++ standard, [class.dtor], [stmt.jump]). A destructor is its body, then those
of the members and of the bases. What a function returns by its name is handed on and not destroyed.
Not handled: elements of arrays, `goto` out of a block, temporaries that are a part of an
expression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax import nodes
from ..model import ctypes
from ..model.classes import Method
from ..model.scope import ClassScope
from ..state.inlining_limits import used_up

if TYPE_CHECKING:
    from ..model.ctypes import CType
    from ..model.frame import Target
    from ..model.scope import Place, Typed
    from ..state.context import Context


def begin(context: Context, place: Place, node: Any) -> None:
    """Note that an object to be destroyed, declared by `node`, begins its life in the block at
    hand.
    """
    if _is_destroyed(context, place.type):
        context.frame.alive.append((place, node))


def leave(context: Context, depth: int, kept: Place | None = None) -> None:
    """Lower the destructors on the way out of all blocks that more than `depth` objects live in."""
    for place, node in reversed(context.frame.alive[depth:]):
        if place is not kept:
            context.at(node)
            _destroy(context, place)


def leave_for(context: Context, target: Target) -> None:
    """Lower `break` or `continue`: the destructors of objects that it leaves, and the jump."""
    leave(context, target.alive)
    context.builder.jump(target.block)


def close(context: Context, depth: int) -> None:
    """Lower the destructors where the block ends in which all but the first `depth` objects are."""
    leave(context, depth)
    del context.frame.alive[depth:]


def end_at_once(context: Context, node: Any, value: Typed) -> None:
    """Lower the destructor of a temporary after the statement that makes it: `Lock(mutex);`."""
    if isinstance(node, nodes.Construct) and _is_destroyed(context, value.type):
        made = context.registers(f"a {value.type.name}", value.type)
        context.put(made, value)
        _destroy(context, made)


def _destroy(context: Context, place: Place) -> None:
    """Run the destructor of an object, if control comes here at all."""
    if context.builder.current is not None and _is_destroyed(context, place.type):
        _destroy_as(context, place, place.type)


def _destroy_as(context: Context, place: Place, type: CType) -> None:
    """Run the destructor that a class, of the object or a base of it, has."""
    origin = type.origin
    if not isinstance(origin, ClassScope):
        return
    refused = used_up(context)
    if refused is not None:  # one call in place of those for all of its parts
        context.call(f"~{type.name}", ctypes.unknown("auto"), [], refused)
        return
    for function in _own(origin):
        defined = context.program.methods(origin.definition, function.decl.name)
        context.inline(Method(next(iter(defined), function), origin, place), [], [])
    for member in reversed(type.members):
        inherited = any(base.member(member.name) is not None for base in origin.bases)
        if not inherited and _is_destroyed(context, member.type):
            _destroy_as(context, context.field(place, member.name), member.type)
    for base in reversed(origin.bases):
        if _is_destroyed(context, base):
            _destroy_as(context, place, base)


def _is_destroyed(context: Context, type: CType) -> bool:
    """Whether the end of an object of that type runs a destructor that somebody has written."""
    origin = type.origin
    if not isinstance(origin, ClassScope):
        return False
    known = context.destroyed
    if origin not in known:  # a class in classes in classes is asked once
        parts = (*origin.bases, *(each.type for each in type.members))
        known[origin] = bool(_own(origin)) or any(_is_destroyed(context, each) for each in parts)
    return known[origin]


def _own(origin: ClassScope) -> list[nodes.Function]:
    """The destructor that is written in a class; it has one at most."""
    return [
        member
        for member in origin.definition.members or ()
        if isinstance(member, nodes.Function) and not member.defaulted and member.is_destructor
    ]
