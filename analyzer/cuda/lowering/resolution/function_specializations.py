"""Which of the functions of one name are for a call with these template arguments.

In: candidates, the arguments in `f<float, 4>(p)` and the types of the others. Out: those that may
be meant. A full specialisation, `template <> void f<float, 4>(float *)`, is no overload: it is
there for its own arguments and for no others. Where it or the call names fewer arguments, the types
of its parameters tell. Not handled: which of several templates a specialisation belongs to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..model.ctypes import Form
from ..model.scope import Scope
from ..model.type_traits import same_unqualified
from ..program.template_arguments import as_type
from ..types import constants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...syntax import nodes
    from ..model.ctypes import CType
    from ..program.program import Program
    from ..types.type_reader import TypeReader


@dataclass(frozen=True, slots=True)
class Call:
    """What a call says of the function it means: `scope` is where its arguments stand."""

    explicit: Sequence[Any]
    types: Sequence[CType]
    scope: Scope


def meant(
    candidates: list[nodes.Function], call: Call, program: Program, reader: TypeReader
) -> list[nodes.Function]:
    """The specialisation that is for this call; else the functions that are none."""
    special = [each for each in candidates if is_full(each)]
    if not special:
        return candidates
    unclear: list[nodes.Function] = []
    for each in special:
        fits = _is_for(each, call, program, reader)
        if fits:
            return [each]
        unclear += [each] if fits is None else []
    return [each for each in candidates if not is_full(each)] or unclear


def is_meant(
    function: nodes.Function,
    candidates: list[nodes.Function],
    call: Call,
    program: Program,
    reader: TypeReader,
) -> bool:
    """Whether a call may mean this one of the candidates."""
    if is_full(function) and _is_for(function, call, program, reader) is False:
        return False
    return function in meant(candidates, call, program, reader)


def is_full(function: nodes.Function) -> bool:
    """Whether a function is a template's full specialisation: `template <> void f<float>(...)`."""
    return function.template is not None and not function.template.parameters


def _is_for(
    function: nodes.Function, call: Call, program: Program, reader: TypeReader
) -> bool | None:
    """Whether a specialisation is for these arguments; None when it is not clear."""
    written = function.specialization or []
    if len(call.explicit) > len(written) > 0:
        return False
    verdicts = [
        _is_same(wanted, given, call.scope, program, reader)
        for wanted, given in zip(written, call.explicit, strict=False)
    ]
    if len(call.explicit) < len(written) or not written:
        types = reader.parameter_types(function, None)
        verdicts += [
            is_same_type(wanted, given) for wanted, given in zip(types, call.types, strict=False)
        ]
    if False in verdicts:
        return False
    return True if verdicts and None not in verdicts else None


def _is_same(
    written: Any, given: Any, scope: Scope, program: Program, reader: TypeReader
) -> bool | None:
    """Whether a template argument of a call is the one that a specialisation is for."""
    numbers = (
        constants.evaluate(written, Scope(), program, reader),
        constants.evaluate(given, scope, program, reader),
    )
    if None not in numbers:
        return numbers[0] == numbers[1]
    types = (
        reader.read(as_type(written), Scope()),
        reader.read(as_type(given), scope),
    )
    for number, type in zip(numbers, reversed(types), strict=True):
        if number is not None and type.form is not Form.UNKNOWN:
            return False  # a number where a type is, or the other way round
    return None if numbers != (None, None) else is_same_type(*types)


def is_same_type(wanted: CType, given: CType) -> bool | None:
    """Whether a specialisation's type is a call's but for `const`; None when one is not known."""
    if Form.UNKNOWN in (wanted.form, given.form):
        return None
    found = same_unqualified(given, wanted)
    return wanted.name == given.name if found is None else found
