"""What a launch binds template parameters to, as text: the same text, the same instance.

In: a launch, and what is around the bodies of its file. Out: a text of all that an instance rests
on; None where something is bound that has none here: a lambda, a class of a function. Numbers and
types of the language stand for themselves, classes of the file for the place of their definition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...cuda.lowering.model.scope import (
    AtomicClass,
    ClassScope,
    FunctionValue,
    LibraryClass,
    PackPlace,
    TemplateValue,
    ValuePlace,
)
from ...ir.values import Constant

if TYPE_CHECKING:
    from ...cuda.host.launches import Seen
    from ...cuda.lowering.model.ctypes import CType
    from ...cuda.lowering.model.scope import Binding, Scope
    from .gaps import Gaps, Place

_NAMED = AtomicClass | FunctionValue | LibraryClass | TemplateValue


class _OddError(Exception):
    """Something has no text."""


def text_of_bound(seen: Seen, around: Gaps) -> str | None:
    """What tells the instance of a launch from others of the same kernel."""
    try:
        return f"{seen.launch.template_arguments}{_scope(seen.bound, around)}"
    except _OddError:
        return None


def _scope(scope: Scope, around: Gaps) -> str:
    if scope.parent is not None or scope.pending:
        raise _OddError
    names = [(name, _binding(each, around)) for name, each in scope.names.items()]
    return repr((names, [(name, _type(each, around)) for name, each in scope.types.items()]))


def _binding(binding: Binding, around: Gaps) -> str:
    if isinstance(binding, PackPlace):
        if binding.of_types:
            return repr(("types", [_type(each.type, around) for each in binding.places]))
        return repr([_binding(each, around) for each in binding.places])
    if binding.__class__ is not ValuePlace or not isinstance(binding.value.value, Constant):
        raise _OddError
    held = binding.value.value
    return repr((held.type, held.value, _type(binding.value.type, around)))


def _type(type: CType, around: Gaps) -> str:
    """A type with all that it is made of; a class is that of its definition."""
    origin, plain = type.origin, (type.form, type.name, type.size, type.volatile, type.const)
    if isinstance(origin, ClassScope):
        instance = None if origin.instance is None else _scope(origin.instance[1], around)
        return repr((plain, _place(origin.definition, around), instance))
    if origin is not None and not isinstance(origin, _NAMED):
        raise _OddError
    element = None if type.element is None else _type(type.element, around)
    members = [(each.name, each.offset, _type(each.type, around)) for each in type.members]
    rest = (type.alignment, type.signed, type.extent, element, members, origin)
    return repr((plain, rest))


def _place(definition: Any, around: Gaps) -> Place:
    at = definition.coord
    place = None if at is None else around.place(at.source, at.start)
    if place is None:
        raise _OddError
    return place
