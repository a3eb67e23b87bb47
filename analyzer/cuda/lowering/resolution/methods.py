"""Which function a call means: overloads, and the methods of classes and their bases.

In: candidates and the places of the arguments. Out: the one that fits best, with the class that it
belongs to and the object it is called on. Overloads are told apart by counts and by how near the
types are (C++ standard, [over.ics.rank], its order of exact, promoted, converted). Not handled:
templates' partial ordering, user conversions beyond "there may be one".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ....ir.values import Constant
from ...syntax import nodes
from ...syntax.declared_text import argument_text
from ..model.classes import Method
from ..model.ctypes import Form
from ..model.scope import ClassScope, Scope, ValuePlace
from ..model.type_traits import same
from ..program.parameters import parameters_of, takes
from ..program.template_arguments import template_of
from .constraints import conditions_of, possible
from .function_specializations import Call, meant

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..model.ctypes import CType
    from ..model.scope import Place
    from ..state.context import Context

_NEVER = -10_000
_CONVERSION = re.compile(r"operator\s*[A-Za-z_]")


def method_of(
    context: Context,
    base: Place,
    name: str,
    places: list[Place],
    explicit: list[Any] | None = None,
) -> Method | None:
    """The method that a call on an object means."""
    origin = base.type.origin
    if not isinstance(origin, ClassScope):
        return None
    return find_method(context, origin, name, places, base, explicit=explicit)


def find_method(
    context: Context,
    owner: ClassScope | str,
    name: str,
    places: list[Place],
    this: Place | None = None,
    *,
    explicit: list[Any] | None = None,
) -> Method | None:
    """The method of a class or of one of its bases."""
    if isinstance(owner, str):
        return None
    found = context.program.methods(owner.definition, name)
    function = choose(context, found, places, owner.scope, explicit) if found else None
    if function is not None:
        return Method(function, owner, this)
    for base in owner.bases:
        if isinstance(base.origin, ClassScope):
            inherited = find_method(context, base.origin, name, places, this, explicit=explicit)
            if inherited is not None:
                return inherited
    return None


def choose(
    context: Context,
    candidates: list[nodes.Function],
    places: list[Place],
    scope: Scope | None = None,
    explicit: list[Any] | None = None,
) -> nodes.Function | None:
    """The overload whose parameters fit best; None when none fits. Where the conditions of several
    that fit alike are not known, it is one without a body.
    """
    fitting: list[tuple[int, nodes.Function]] = []
    call = Call(explicit or [], [place.type for place in places], context.scope)
    for function in meant(candidates, call, context.program, context.reader):
        parameters = parameters_of(function)
        if not takes(parameters, len(places)):
            continue
        types = context.reader.parameter_types(function, scope)
        score = 1 if len(types) == len(parameters) else 0  # a pack fits worse
        score += sum(map(_fit, types, places))
        if score >= 0:
            fitting.append((score, function))
    if len(fitting) < 2:
        return fitting[0][1] if fitting else None
    return _settled(context, fitting, places, scope, explicit or [])


def _settled(
    context: Context,
    fitting: list[tuple[int, nodes.Function]],
    places: list[Place],
    scope: Scope | None,
    explicit: list[Any],
) -> nodes.Function | None:
    """The first of the functions that fit best, among those that exist for this call."""
    functions = [function for _, function in fitting]
    found, unsettled = possible(context, functions, places, explicit, scope)
    scores = {id(function): score for score, function in fitting}
    highest = max((scores[id(each)] for each in found), default=0)
    best = [each for each in found if scores[id(each)] == highest]
    if not best:
        return None
    sure = [each for each in best if each not in unsettled]
    chosen = next((each for each in sure if any(conditions_of(each))), None)
    if chosen is None and len(best) > 1 and _are_told_by_tags(best, places):
        return _without_body(best[0])
    if chosen is not None or not unsettled.intersection(best):
        return chosen or best[0]
    if len(best) == 1:
        return best[0]
    return _without_body(best[0])


def _without_body(function: nodes.Function) -> nodes.Function:
    return nodes.Function(function.decl, None, scope=function.scope)


def _referred(parameter: Any) -> Any:
    """The type of a parameter; what a reference refers to."""
    type = parameter.type
    return type.type if isinstance(type, nodes.Reference) else type


def _are_told_by_tags(functions: list[nodes.Function], places: list[Place]) -> bool:
    """Whether functions differ in the arguments of a template, `Tag<0>` and `Tag<1>`, where the
    argument of the call is of a class that is not known.
    """
    columns = zip(places, *map(parameters_of, functions), strict=False)
    for place, *parameters in columns:
        if place.type.form is Form.UNKNOWN:
            types = map(_referred, parameters)
            written = [each for each in map(template_of, types) if each is not None]
            texts = {tuple(map(argument_text, each.arguments)) for each in written}
            names = {each.name for each in written}
            if len(written) == len(functions) and len(names) == 1 and len(texts) > 1:
                return True
    return False


def _fit(wanted: CType, place: Place) -> int:
    """How well an argument fits a parameter; far below zero when it cannot be passed."""
    given = place.type
    if wanted.name == given.name and wanted.form is given.form and not _are_two(wanted, given):
        return 30
    if Form.UNKNOWN in (wanted.form, given.form):
        return 5
    if Form.CLASS in (wanted.form, given.form):
        return 0 if _is_made(wanted) or _becomes(given) else _NEVER
    pointers = (Form.POINTER, Form.ARRAY)
    if (wanted.form in pointers) is not (given.form in pointers):
        is_number = wanted.form is Form.POINTER and given.is_scalar  # only 0 becomes a pointer
        return _NEVER if is_number and not isinstance(place, ValuePlace) else 0
    if wanted.form in pointers:
        a, b = wanted.element, given.element
        alike = a is not None and b is not None and a.name == b.name and not _are_two(a, b)
        if alike:
            return 20
        return _NEVER if _are_other_numbers(a, b) else 10
    if wanted.form is given.form:
        return 20 if wanted.size == given.size else 10
    return 8


def _are_other_numbers(wanted: CType | None, given: CType | None) -> bool:
    """Whether pointers lead to numbers of two sizes: none is converted to the other."""
    if wanted is None or given is None or not (wanted.is_scalar and given.is_scalar):
        return False
    return wanted.size != given.size


def _are_two(wanted: CType, given: CType) -> bool:
    """Whether two instances of one class template are known to have different arguments."""
    origins = (wanted.origin, given.origin)
    instances = [each.instance for each in origins if isinstance(each, ClassScope)]
    if len(instances) < 2 or None in instances or wanted.origin is given.origin:
        return False
    (definition, bound), (other, theirs) = (each for each in instances if each is not None)
    if definition is not other:
        return False
    for name, type in bound.types.items():
        held = theirs.types.get(name)
        if held is not None and same(type, held) is False:
            return True
    pairs = ((place, theirs.names.get(name)) for name, place in bound.names.items())
    return any(None not in held and held[0] != held[1] for held in map(_numbers, pairs))


def _numbers(pair: Iterable[Any]) -> list[Any]:
    """The numbers that two template arguments are; None where that is not known."""
    values = [each.value.value if isinstance(each, ValuePlace) else None for each in pair]
    return [each.value if isinstance(each, Constant) else None for each in values]


def _is_made(type: CType) -> bool:
    """Whether a class may have a constructor for it, or a base that it is."""
    origin = type.origin
    if not isinstance(origin, ClassScope):
        return type.form is Form.CLASS and not type.members
    name = origin.definition.name
    return any(getattr(m, "decl", None) and m.decl.name == name for m in origin.definition.members)


def _becomes(type: CType) -> bool:
    """Whether a class converts itself: to a base of it, or by an operator of its own."""
    origin = type.origin
    if not isinstance(origin, ClassScope):
        return type.form is Form.CLASS and not type.members
    functions = (m.decl.name for m in origin.definition.members if getattr(m, "decl", None))
    return bool(origin.bases) or any(map(_CONVERSION.match, functions))
