"""Default arguments of functions that are declared with them and defined without.

In: the definition of a method outside of its class, and what the class declares by that name. The
definition's parameters get the defaults of the declaration that has the same parameters: of as many
of the same types as they are written (C++ standard, [dcl.fct.default]). Nothing is given where more
than one declaration may be the one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...syntax.printing import type_text
from .parameters import parameters_of

if TYPE_CHECKING:
    from ...syntax import nodes


def give_defaults(function: nodes.Function, declared: list[nodes.Function]) -> None:
    """Complete the parameters of a definition, those of its template, too."""
    own = parameters_of(function)
    fitting = [
        item for item in declared if item.body is None and len(parameters_of(item)) == len(own)
    ]
    same = [item for item in fitting if _types(item) == _types(function)] or fitting
    if len(same) != 1:
        return
    for index, parameter in enumerate(parameters_of(same[0])):
        if getattr(parameter, "init", None) is None:
            continue
        if hasattr(own[index], "init"):
            own[index].init = parameter.init
        else:  # one without a name has no place for it
            function.decl.type.args.params[index] = parameter
    if function.template is None or same[0].template is None:
        return
    inner = same[0].template.parameters
    for mine, theirs in zip(function.template.parameters[-len(inner) :], inner, strict=False):
        mine.default = mine.default or theirs.default


def _types(function: nodes.Function) -> list[str]:
    return [type_text(parameter.type) for parameter in parameters_of(function)]
