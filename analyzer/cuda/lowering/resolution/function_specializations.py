"""Which of the functions of one name are for a call with these template arguments.

In: candidates, the arguments in `f<float, 4>(p)` and the places of the others. Out: those that may
be meant. A full specialisation, `template <> void f<float, 4>(float *)`, is no overload: it is
there for its own arguments and for no others. Where the call names fewer arguments, the types of
its parameters tell. Not handled: which of several templates a specialisation belongs to.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..model.ctypes import Form
from ..model.scope import Scope
from ..model.type_traits import same
from ..program.template_arguments import as_type
from ..types import constants

if TYPE_CHECKING:
    from ...syntax import nodes
    from ..model.ctypes import CType
    from ..model.scope import Place
    from ..state.context import Context


def meant(
    context: Context, candidates: list[nodes.Function], explicit: list[Any], places: list[Place]
) -> list[nodes.Function]:
    """The specialisation that is for this call; else the functions that are none."""
    special = [each for each in candidates if each.specialization is not None]
    if not special:
        return candidates
    verdicts = [_is_for(context, each, explicit, places) for each in special]
    if True in verdicts:
        return [special[verdicts.index(True)]]
    others = [each for each in candidates if each.specialization is None]
    return others or [e for e, fits in zip(special, verdicts, strict=True) if fits is None]


def _is_for(
    context: Context, function: nodes.Function, explicit: list[Any], places: list[Place]
) -> bool | None:
    """Whether a specialisation is for these arguments; None when it is not clear."""
    written = function.specialization or []
    if len(explicit) > len(written):
        return False
    verdicts = [_is_same(context, *pair) for pair in zip(written, explicit, strict=False)]
    if len(explicit) < len(written):
        types = context.reader.parameter_types(function, None)
        verdicts += [
            is_same_type(wanted, place.type) for wanted, place in zip(types, places, strict=False)
        ]
    if False in verdicts:
        return False
    return None if None in verdicts else True


def _is_same(context: Context, written: Any, given: Any) -> bool | None:
    """Whether a template argument of a call is the one that a specialisation is for."""
    program, reader = context.program, context.reader
    numbers = (
        constants.evaluate(written, Scope(), program, reader),
        constants.evaluate(given, context.scope, program, reader),
    )
    if None not in numbers:
        return numbers[0] == numbers[1]
    types = (
        reader.read(as_type(written), Scope()),
        reader.read(as_type(given), context.scope),
    )
    for number, type in zip(numbers, reversed(types), strict=True):
        if number is not None and type.form is not Form.UNKNOWN:
            return False  # a number where a type is, or the other way round
    return None if numbers != (None, None) else is_same_type(*types)


def is_same_type(wanted: CType, given: CType) -> bool | None:
    """Whether two types are one but for `const`; None when one is not known."""
    if Form.UNKNOWN in (wanted.form, given.form):
        return None
    found = same(replace(given, const=wanted.const, volatile=wanted.volatile), wanted)
    return wanted.name == given.name if found is None else found
