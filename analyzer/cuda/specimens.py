"""Instances of a kernel template that nothing in sight instantiates, made up to be looked at.

In: a `__global__` template and what a launch binds of its parameters. Out: scopes in which all of
them are bound: numbers as `specimen_numbers.py` has them, types as floats or integers, which
`specimen_types.py` tells apart, or left open.
Not handled: numbers that other templates are specialised for, parameter packs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..ir.kernel import Launch
from ..source.records import dataclass
from .host.launches import Seen
from .lowering.model import ctypes
from .lowering.model.ctypes import Form
from .lowering.model.scope import Scope
from .lowering.types import constant_places
from .specimen_numbers import FEW, Role, compared_with, names_of_sizes, numbers_for
from .specimen_types import number_types
from .tied_launches import tied

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .lowering.model.ctypes import CType
    from .lowering.types.type_reader import TypeReader
    from .syntax import nodes

MOST = 8  # numbers of a template that are chosen
_ANY = (None, None, None)
_WIDER = {ctypes.FLOAT.name: ctypes.DOUBLE}  # what every second choice takes


@dataclass(frozen=True, slots=True)
class Choice:
    """Template arguments made up for a kernel: all in `bound`; those that were chosen, by name;
    the launches that would pass them.
    """

    bound: Scope
    chosen: tuple[tuple[str, int | str], ...]
    launches: tuple[Launch, ...] = ()

    def of(self, seen: Seen | None, function: nodes.Function) -> Seen:
        """As a launch with these arguments would give them."""
        if seen is not None:
            return replace(seen, bound=self.bound)
        return Seen(Launch(function.decl.name, _ANY, _ANY, None, function.coord), self.bound)


def choices(
    function: nodes.Function,
    bound: Scope | None,
    reader: TypeReader,
    launches: Sequence[Launch] = (),
) -> Iterator[Choice]:
    """The template arguments to try for a kernel template that nothing instantiates, what a launch
    binds kept as it is, and what launches compute of others as they do; none where no number is
    open.
    """
    template = function.template
    if template is None or any(each.pack for each in template.parameters):
        return
    known = _known(template, bound, reader)
    open_ = [each for each in template.parameters if each.name and not _is_in(known, each.name)]
    values = [each for each in open_ if each.kind == "value"]
    named = {each.name for each in open_ if each.kind == "type"}
    types = number_types(function, named)
    if not 0 < len(values) <= MOST:
        return
    forms = [reader.read(each.type, known) for each in values]
    if any(type.form not in (Form.INTEGER, Form.BOOL) for type in forms):
        return
    asked, sizes = compared_with(function), names_of_sizes(function)
    roles = [
        Role(FEW if _is_one_of_few(type) else asked.get(each.name, ()), each.name in sizes)
        for each, type in zip(values, forms, strict=True)
    ]
    places = [template.parameters.index(each) for each in values]
    seen: set[tuple[int, ...]] = set()
    for turn, numbers in enumerate(numbers_for(roles)):
        meant = tied(dict(zip(places, numbers, strict=True)), launches)
        if meant is None:
            continue
        meant_numbers = tuple(meant.numbers[place] for place in places)
        if meant_numbers in seen:
            continue
        seen.add(meant_numbers)
        made = Scope()
        made.names.update(known.names)
        wide = turn % 2 == 1
        given = {
            name: _WIDER.get(each.name, each) if wide else each for name, each in types.items()
        }
        made.types.update({**known.types, **given})
        chosen: dict[str, int | str] = {name: type.name for name, type in given.items()}
        for parameter, type, number in zip(values, forms, meant_numbers, strict=True):
            made.names[parameter.name] = constant_places.place(number, type)
            chosen[parameter.name] = number
        yield Choice(made, tuple(chosen.items()), meant.launches)


def _is_one_of_few(type: CType) -> bool:
    return type.form is Form.BOOL or ctypes.is_enumeration(type)


def _known(template: nodes.Template, bound: Scope | None, reader: TypeReader) -> Scope:
    known = Scope()
    if bound is None:
        reader.bind_arguments(template, [], known, Scope())
    else:
        known.names.update(bound.names)
        types = bound.types.items()
        known.types.update((name, type) for name, type in types if type.form is not Form.UNKNOWN)
    return known


def _is_in(known: Scope, name: str) -> bool:
    return name in known.names or name in known.types
