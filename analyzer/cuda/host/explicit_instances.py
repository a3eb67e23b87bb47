"""Explicit instantiations of kernels: `template __global__ void k<256>(int *);`.

In: a kernel template and the program around it. Out: its template parameters bound, once for each
instantiation that names all its arguments. They say for which arguments a kernel is compiled where
no launch in the file does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.kernel import Launch
from ..lowering.model.scope import Scope
from .kernels import argument_words
from .launches import Seen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..lowering.program.program import Program
    from ..lowering.types.type_reader import TypeReader
    from ..syntax import nodes

_ANY = (None, None, None)


def explicit_instances(
    function: nodes.Function, program: Program, reader: TypeReader
) -> Iterator[Seen]:
    """The instances, as launches of unknown shape would give them."""
    template = function.template
    if template is None:
        return
    for other in program.instantiations.get(function.decl.name, ()):
        given = list(other.specialization or ())
        if len(given) != len(template.parameters):
            continue
        bound = Scope()
        reader.bind_arguments(template, given, bound, Scope())
        words = argument_words(bound, template, given)
        name = function.decl.name
        yield Seen(Launch(name, _ANY, _ANY, None, other.coord, template_arguments=words), bound)
