"""Class values made from arguments: constructors, member initialisers, members in order.

In: a class type and what it is made from. Out: the value. A constructor that the file defines is
inlined on a place of the class: initialisers of members and bases first, then the body (C++
standard, [class.base.init]); a class without one is made member by member; any other is a value
that depends on its arguments in a way not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....source.location import Location
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model import ctypes
from ..model.classes import Method
from ..model.scope import (
    ClassPlace,
    ClassScope,
    HeldAddress,
    Scope,
    Typed,
    ValuePlace,
    VariablePlace,
    root_of,
)
from ..program.parameters import parameters_of, takes
from ..resolution.methods import choose
from ..state import inlining_limits
from ..types.deduction import deduce
from . import captures
from .casts import construct
from .initialisers import blank, initial_value
from .packs import argument_places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model.ctypes import CType
    from ..model.scope import Place
    from ..state.context import Context


def constructor(context: Context, type: CType, places: list[Place]) -> Typed:
    """A class value: what its constructor makes of it, or member by member."""
    type = deduced(context, type, places)
    origin = type.origin if isinstance(type.origin, ClassScope) else None
    name = "" if origin is None else origin.definition.name
    written = [] if origin is None else _constructors(origin, name)
    if not written and places and len(places) <= len(type.members):
        given = [
            _held(context, member.type, place)
            for member, place in zip(type.members, places, strict=False)
        ]
        missing = [
            context.constant(0, member.type)
            if member.type.is_scalar
            else context.unknown(member.type, "zero-initialised")
            for member in type.members[len(places) :]
        ]
        return context.aggregate(type, [*given, *missing])
    if origin is not None:
        made = context.temporary(type, origin.definition)
        blank(made, f"a member of {type.name} is not initialised", context.put)
        if construct_in(context, made, origin, places):
            _forget_itself(context, made)
            return context.read(made)
        if not (written or places):
            return context.undefined(type, f"a member of {type.name}")
    arguments = [context.read(place) for place in places]
    operands = [argument.value for argument in arguments]
    return context.pure(f"{type.name}::{type.name}", operands, type)


def copied(context: Context, place: Place) -> Typed:
    """A copy of the object at a place: by the copy constructor that its class has, else as it is.

    A temporary is not copied (C++17, [class.copy.elision]); of a class that can also be moved from
    it is not said here which of the two is meant: it is taken as it is.
    """
    type, origin = place.type, place.type.origin
    if isinstance(place, ValuePlace):
        return place.value
    if not isinstance(origin, ClassScope):
        return captures.separated(context, context.read(place))
    function = _copying(context, type, origin)
    if function is None or inlining_limits.refusal(context, function, origin) is not None:
        return context.read(place)
    made = context.temporary(type, origin.definition)
    blank(made, f"a member of {type.name} is not initialised", context.put)
    context.inline(Method(function, origin, made), [place], [])
    _forget_itself(context, made)
    return context.read(made)


def is_copied_by_constructor(context: Context, type: CType) -> bool:
    """Whether an expression that copies an object calls a copy constructor of its class."""
    origin = type.origin
    return isinstance(origin, ClassScope) and _copying(context, type, origin) is not None


def _copying(context: Context, type: CType, origin: ClassScope) -> nodes.Function | None:
    """The one constructor that takes an object of the class itself."""
    definition = origin.definition
    found = [
        function
        for function in context.program.methods(definition, definition.name)
        if function.template is None
        and takes(parameters_of(function), 1)
        and context.reader.parameter_types(function, origin.scope)[0].name == type.name
    ]
    return found[0] if len(found) == 1 else None


def _forget_itself(context: Context, made: Place) -> None:
    """Pointers of an object to itself lead elsewhere once it is copied to where it belongs."""
    own = list(_pieces(made))
    for piece in own:
        if not isinstance(piece, VariablePlace) or piece.type.form is not ctypes.Form.POINTER:
            continue
        value = context.builder.resolve(context.read(piece).value)
        if isinstance(value, HeldAddress) and root_of(value.place) in own:
            context.put(piece, context.unknown(piece.type, "a pointer from an object to itself"))


def _pieces(place: Place) -> Iterator[Place]:
    yield place
    for part in place.parts if isinstance(place, ClassPlace) else ():
        yield from _pieces(part)


def _held(context: Context, type: CType, place: Place) -> Typed:
    """What a member holds that is made from something: its address when it is a reference."""
    if ctypes.is_reference(type):
        return Typed(context.address(place).value, type)
    return context.read(place)


def is_open(type: CType) -> bool:
    """Whether a class template stands without its arguments: `Pair p(1, 2)`."""
    origin = type.origin
    if not isinstance(origin, ClassScope) or origin.definition.template is None:
        return False
    names = [item.name for item in origin.definition.template.parameters]
    return all(
        origin.scope.find_type(name) is None and origin.scope.find(name) is None for name in names
    )


def deduced(context: Context, type: CType, arguments: list[Place]) -> CType:
    """The class that `Pair p(1, 2)` constructs: with the template arguments that those of its
    constructor, or the values of its members, settle (C++ standard, [over.match.class.deduct]); as
    it was where they do not.
    """
    if not arguments or not is_open(type):
        return type
    assert isinstance(type.origin, ClassScope)
    definition = type.origin.definition
    written = _constructors(type.origin, definition.name)
    heads: list[list[Any]] = [parameters_of(function) for function in written] or [
        [item for item in definition.members or () if isinstance(item, c_ast.Decl)]
    ]
    names = {item.name: item for item in definition.template.parameters}
    for parameters in heads:
        if len(parameters) < len(arguments):
            continue
        scope = Scope()
        for parameter, argument in zip(parameters, arguments, strict=False):
            deduce(parameter.type, argument.type, names, scope)
        known = scope.types.keys() | scope.names.keys()
        if all(name in known for name in names):
            return context.reader.instance(definition, scope)
    return type


def _constructors(origin: ClassScope, name: str) -> list[nodes.Function]:
    """The constructors a class declares, those that only say `= default` left out."""
    return [
        member
        for member in origin.definition.members or ()
        if isinstance(member, nodes.Function) and member.decl.name == name
    ]


def is_constructed(type: CType) -> bool:
    """Whether an object of a type that nothing initialises may begin with values of its class: by a
    constructor, or by those that members or bases name.
    """
    asked, waiting = set[ClassScope](), [type]
    while waiting:  # a class in classes in classes is asked once
        part = waiting.pop()
        origin = part.origin
        if not isinstance(origin, ClassScope) or origin in asked:
            continue
        asked.add(origin)
        members = origin.definition.members or ()
        if _constructors(origin, origin.definition.name):
            return True
        if any(isinstance(each, c_ast.Decl) and each.init is not None for each in members):
            return True
        waiting += (*origin.bases, *(each.type for each in part.members))
    return False


def construct_in(context: Context, place: Place, origin: ClassScope, places: list[Place]) -> bool:
    """Run the constructor that fits on the place of an object; False when there is none to run."""
    definition = origin.definition
    found = context.program.methods(definition, definition.name)
    function = choose(context, found, places, origin.scope) if found else None
    if function is None:
        if places or _constructors(origin, definition.name):
            return False
        return initialise_members(context, place, origin)
    if inlining_limits.refusal(context, function, origin) is not None:
        return False
    initialise_members(context, place, origin)
    context.inline(Method(function, origin, place), places, [])
    return True


def initialise_members(context: Context, place: Place, origin: ClassScope) -> bool:
    """Give the members of an object being constructed the values that the class itself names;
    whether it names any. What is done for that belongs to the place where the object is made, like
    the body of a constructor.
    """
    named = [
        member
        for member in origin.definition.members or ()
        if isinstance(member, c_ast.Decl)
        and member.init is not None
        and place.type.member(member.name) is not None
        and not {"static", "constexpr"} & set(member.storage or ())
    ]
    made_at, frame = context.builder.location, context.frame
    call, frame.call = frame.call, Location(made_at.span, inlined_at=frame.call)
    outer, context.scope = context.scope, Scope(origin.scope)
    for member in named:
        target = context.field(place, member.name)
        context.write(target, initial_value(context, member.init, target.type))
    context.scope, frame.call = outer, call
    context.builder.location = made_at
    return bool(named)


def initialise(context: Context, initializer: Any, method: Method | None) -> None:
    """Lower `x(1)` or `Base(p)` before the body of a constructor."""
    target = initializer.target
    last = target.parts[-1] if isinstance(target, nodes.QualifiedName) else target
    name, this = getattr(last, "name", ""), context.frame.this
    if this is None or method is None:
        return
    member = this.type.member(name)
    arguments = list(initializer.arguments or ())
    if member is not None:
        field = context.field(this, name)
        if ctypes.is_reference(member.type) and len(arguments) == 1:
            (place,) = argument_places(context, arguments)
            context.write(field, _held(context, member.type, place))
        else:
            context.write(field, construct_from(context, member.type, arguments))
        return
    for base in (*method.owner.bases, this.type):
        if isinstance(base.origin, ClassScope) and base.name == name:
            places = argument_places(context, arguments)
            if construct_in(context, this, base.origin, places):
                return
            whole = construct_from(context, base, arguments)
            for item in base.members:
                held = context.field(ValuePlace(whole), item.name)
                context.write(context.field(this, item.name), context.read(held))
            return
    for argument in arguments:
        context.expression(argument)


def construct_from(context: Context, type: CType, arguments: list[Any]) -> Typed:
    """The value of a type constructed from the expressions in its parentheses or braces."""
    return construct(context, type, argument_places(context, arguments))
