"""Which function a call means: overloads, and the methods of classes and their bases.

In: candidates and the places of the arguments. Out: the one that fits best, with the class that it
belongs to and the object it is called on. Overloads are told apart by counts and by their ranks
(`ranking.py`). Not handled: several that fit alike, of which the first is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax import nodes
from ...syntax.declared_text import argument_text
from ..model.classes import Method, lineage
from ..model.ctypes import Form
from ..model.scope import ClassScope, ListPlace, Scope
from ..program.parameters import is_settled, parameters_of, takes_in
from ..program.template_arguments import template_of
from .constraints import conditions_of, possible
from .function_specializations import Call, meant
from .ranking import Ranking

if TYPE_CHECKING:
    from ..model.scope import Place
    from ..state.context import Context
    from .ranking import Rank


_MANY = 64  # overloads of one name


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
    for each in lineage(owner):
        found = context.program.methods(each.definition, name)
        function = choose(context, found, places, each.scope, explicit) if found else None
        if function is not None:
            return Method(function, each, this)
    return None


def choose(
    context: Context,
    candidates: list[nodes.Function],
    places: list[Place],
    scope: Scope | None = None,
    explicit: list[Any] | None = None,
) -> nodes.Function | None:
    """The overload whose parameters fit best; None when none fits. Where the conditions of several
    that fit alike are not known, it is one without a body. To look at a candidate is work like
    reading a node: of very many none is chosen in a kernel that has used up its own.
    """
    context.nodes += len(candidates)
    if len(candidates) > _MANY and context.made >= context.most:
        return None
    fits: list[tuple[int, nodes.Function]] = []
    ranking = Ranking(context, places, scope, explicit or [])
    call = Call(explicit or [], [place.type for place in places], context.scope)
    for function in meant(candidates, call, context.program, context.reader):
        if takes_in(function, len(places)):
            fit = ranking.open_fit(function)
            if fit is not None:
                fits.append((fit, function))
    if len(fits) > 1:
        fits = [each for each in fits if is_settled(each[1], len(explicit or []))] or fits
    if len(fits) < 2:
        alone = [function for _, function in fits]
        if alone and alone[0].template is not None:
            alone, _ = possible(context, alone, places, explicit or [], scope)
        return alone[0] if alone else None
    ranked = [(ranking.rank(function, fit), function) for fit, function in fits]
    return _settled(context, ranked, places, scope, explicit or [])


def _settled(
    context: Context,
    fitting: list[tuple[Rank, nodes.Function]],
    places: list[Place],
    scope: Scope | None,
    explicit: list[Any],
) -> nodes.Function | None:
    """The first of the functions that fit best, among those that exist for this call."""
    functions = [function for _, function in fitting]
    found, unsettled = possible(context, functions, places, explicit, scope)
    scores = {id(function): score for score, function in fitting}
    highest = max((scores[id(each)] for each in found), default=(0, 0))
    best = [each for each in found if scores[id(each)] == highest]
    if not best:
        return None
    sure = [each for each in best if each not in unsettled]
    chosen = next((each for each in sure if any(conditions_of(each, context.program))), None)
    told = _are_told_by_tags(best, places) or any(isinstance(each, ListPlace) for each in places)
    if chosen is None and len(best) > 1 and told:
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
