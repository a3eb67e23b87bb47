"""Which of several functions of one name exists for a call: `requires C<T>`, `enable_if_t<C>`.

In: functions that could be called as far as their parameters go. Out: those whose conditions hold
or are not known. Conditions are read with the template arguments that the call names and settles,
those of an alias (`template <class C> using IsClass = enable_if_t<is_class_v<C>, C>;`) with what it
is given; a concept is not known. Not handled: which of two conditions that hold asks for more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax import nodes
from ..model.scope import Scope
from ..program.parameters import explicit_head, parameters_of, template_head
from ..types import constants
from ..types.deduction import deduce, deducible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model.scope import Place
    from ..program.program import Program
    from ..state.context import Context

_ENABLING = frozenset({"enable_if", "enable_if_t"})


def possible(
    context: Context,
    functions: list[nodes.Function],
    places: list[Place],
    explicit: list[Any],
    scope: Scope | None,
) -> tuple[list[nodes.Function], frozenset[nodes.Function]]:
    """The candidates of a call that may exist, and those of them of which it is not known."""
    found: list[nodes.Function] = []
    unsettled: set[nodes.Function] = set()
    for function in functions:
        conditions = list(conditions_of(function, context.program))
        verdicts: set[bool | None] = set()
        if conditions:
            inner = bound_scope(context, function, places, explicit, scope)
            for condition, alias in conditions:
                seen = inner if alias is None else _within(context, alias, inner)
                value = constants.evaluate(condition, seen, context.program, context.reader)
                verdicts.add(None if value is None else bool(value))
        if False in verdicts:
            continue
        found.append(function)
        if None in verdicts:
            unsettled.add(function)
    return found, frozenset(unsettled)


def conditions_of(
    function: nodes.Function, program: Program
) -> Iterator[tuple[Any, nodes.TemplateId | None]]:
    """The conditions that must hold for a function to exist: `requires C<T>`, `enable_if_t<C>`;
    those of an alias with where it is named.
    """
    template = function.template
    parts = [function.decl.type.type]
    if template is not None:
        if template.requirement:
            yield template.requirement, None
        parts += [
            part
            for parameter in template.parameters
            for part in (parameter.type, parameter.default)
            if part is not None
        ]
    if function.requirement:
        yield function.requirement, None
    for part in parts:
        for node in nodes.walk(part):
            if not isinstance(node, nodes.TemplateId):
                continue
            if node.name in _ENABLING:
                yield from ((each, None) for each in node.arguments[:1])
            elif (alias := program.alias_templates.get(node.name)) is not None:
                yield from ((each, node) for each in _enabling(alias.type))


def _enabling(type: Any) -> Iterator[Any]:
    """The conditions that a type is made of."""
    for node in nodes.walk(type):
        if isinstance(node, nodes.TemplateId) and node.name in _ENABLING and node.arguments:
            yield node.arguments[0]


def _within(context: Context, named: nodes.TemplateId, scope: Scope) -> Scope:
    """What the parameters of an alias are where it is named in a scope."""
    inner = Scope(scope)
    template = context.program.alias_templates[named.name].template
    context.reader.bind_arguments(template, named.arguments, inner, scope)
    return inner


def bound_scope(
    context: Context,
    function: nodes.Function,
    places: list[Place],
    explicit: list[Any],
    scope: Scope | None,
) -> Scope:
    """The scope of a call, as far as its template arguments are known."""
    inner = Scope(scope)
    if function.template is None:
        return inner
    head, count = template_head(function), len(explicit)
    given = explicit_head(function, count)
    context.reader.bind_arguments(given, explicit, inner, context.scope)
    open_names = deducible(head[count:])
    for parameter, place in zip(parameters_of(function), places, strict=False):
        deduce(parameter.type, place.type, open_names, inner)
    plain = [p for p in head[count:] if p.name and p.name not in inner.types | inner.names]
    context.reader.bind_arguments(nodes.Template(plain), [], inner, inner)
    return inner
