"""Which launches of a kernel template run which of its full specialisations; which instances of it
a file asks for without a launch.

In: one of the functions, `template <> __global__ void k(double *)` or the template itself, and the
launches of that name. Out: those that are for it. A specialisation is for its own arguments alone:
those that it names, else those for which the template's parameters have the types of its own. What
is not clear goes with every function that it may be for. And the template's parameters bound, once
for each explicit instantiation that names all its arguments (`template __global__ void
k<256>(int *);`), or use of its name with arguments that are known (`auto chosen = k<true>;`): they
say what a kernel is compiled for where nothing launches it. Not handled: several templates of a
name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ir.kernel import Launch
from ..lowering.model.ctypes import Form
from ..lowering.model.scope import Scope
from ..lowering.program.parameters import parameters_of
from ..lowering.resolution.function_specializations import is_full, is_same_type
from .launches import Seen
from .values.instances import bind_template
from .values.kernels import argument_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...source.text import Span
    from ..lowering.model.ctypes import CType
    from ..lowering.program.program import Program
    from ..lowering.types.type_reader import TypeReader
    from ..syntax import nodes
    from .values.instances import TextualUses

_ANY = (None, None, None)


def launches_for(
    function: nodes.Function, seen: list[Seen], program: Program, reader: TypeReader
) -> list[Seen]:
    """The launches that run this kernel or specialisation, among those of its name."""
    alike = [
        each
        for each in program.functions.get(function.decl.name, ())
        if each.template is not None and each.scope == function.scope and each.body is not None
    ]
    special = [each for each in alike if is_full(each)]
    general = [each for each in alike if not is_full(each)]
    if not special or len(general) != 1:
        return seen
    found = []
    for launch in seen:
        verdicts = {each: _is_for(each, general[0], launch, reader) for each in special}
        fits = verdicts.get(function)
        if fits or (True not in verdicts.values() and fits is None):
            found.append(launch)
    return found


def _is_for(
    special: nodes.Function, general: nodes.Function, launch: Seen, reader: TypeReader
) -> bool | None:
    """Whether a specialisation is for the arguments of a launch; None when it is not clear."""
    if special.specialization:
        assert general.template is not None
        bound = Scope()
        reader.bind_arguments(general.template, special.specialization, bound, Scope())
        words = argument_words(bound, general.template, special.specialization)
        given = launch.launch.template_arguments
        if words == given:
            return True
        bound_types = launch.bound.types.values()
        return None if len(words) != len(given) or any(map(_is_open, bound_types)) else False
    wanted = reader.parameter_types(special, None)
    types = [reader.read(each.type, launch.bound) for each in parameters_of(general)]
    verdicts = [
        None if _is_open(given) else is_same_type(own, given)
        for own, given in zip(wanted, types, strict=False)
    ]
    if False in verdicts:
        return False
    return None if None in verdicts else True


def _is_open(type: CType) -> bool:
    """Whether a type, or what it points to, is not known."""
    while type.element is not None:
        type = type.element
    return type.form is Form.UNKNOWN


def explicit_instances(
    function: nodes.Function, program: Program, reader: TypeReader
) -> Iterator[Seen]:
    """The explicit instances of a kernel template, as launches of unknown shape would give them."""
    template = function.template
    if template is None:
        return
    for other in program.instantiations.get(function.decl.name, ()):
        given = list(other.specialization or ())
        if len(given) != len(template.parameters):
            continue
        bound = Scope()
        reader.bind_arguments(template, given, bound, Scope())
        yield _instance(function, bound, given, other.coord)


def named_instances(
    function: nodes.Function, uses: TextualUses, reader: TypeReader
) -> Iterator[Seen]:
    """The instances of a kernel template whose names the text has, with what is known of their
    arguments: a pointer to each may be launched where nobody sees it.
    """
    for given in uses.of(function.decl.name):
        bound = Scope()
        bind_template(function, given, (), (bound, Scope()), reader)
        yield _instance(function, bound, given, function.coord)


def _instance(function: nodes.Function, bound: Scope, given: list[Any], span: Span) -> Seen:
    """An instance, as a launch of unknown shape would give it."""
    words = argument_words(bound, function.template, given)
    launch = Launch(function.decl.name, _ANY, _ANY, None, span, template_arguments=words)
    return Seen(launch, bound)
