"""Which of several functions of one name exists for a call: `requires C<T>`, `enable_if_t<C>`.

In: functions that could be called as far as their parameters go. Out: those whose conditions hold
or are not known. Conditions are read with the template arguments that the call names and settles;
a concept is not known. Not handled: which of two conditions that hold asks for more.
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
        conditions = list(conditions_of(function))
        verdicts: set[bool | None] = set()
        if conditions:
            inner = bound_scope(context, function, places, explicit, scope)
            for condition in conditions:
                value = constants.evaluate(condition, inner, context.program, context.reader)
                verdicts.add(None if value is None else bool(value))
        if False in verdicts:
            continue
        found.append(function)
        if None in verdicts:
            unsettled.add(function)
    return found, frozenset(unsettled)


def conditions_of(function: nodes.Function) -> Iterator[Any]:
    """The conditions that must hold for a function to exist: `requires C<T>`, `enable_if_t<C>`."""
    template = function.template
    parts = [function.decl.type.type]
    if template is not None:
        yield from filter(None, (template.requirement,))
        parts += [
            part
            for parameter in template.parameters
            for part in (parameter.type, parameter.default)
            if part is not None
        ]
    yield from filter(None, (function.requirement,))
    for part in parts:
        for node in nodes.walk(part):
            if isinstance(node, nodes.TemplateId) and node.name in _ENABLING and node.arguments:
                yield node.arguments[0]


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
