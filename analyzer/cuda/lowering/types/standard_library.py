"""Classes and functions of libraries, read from `grammars/standard_library.cuh`.

In: a qualified name (`cuda::std::span`). Out: the definition that stands for it where the headers
of the library were not found, so that it is laid out and inlined like any other class; None for
what is not there. Operations of its methods stand at the place that calls them. A name of the
standard library without its namespace is never taken for one of these; those of `cuComplex.h` have
none.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from .....grammars import grammar_text
from ....source.numbers import whole
from ....source.text import SourceText
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ...units.parse import parse_cuda
from . import constant_places, constants, template_packs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ....source.text import Span
    from ..model.ctypes import CType
    from ..model.scope import Scope
    from ..program.program import Program
    from .reading import Reader

_STANDARD = frozenset({"std", "cuda::std"})
_WITH_THRUST = _STANDARD | {"thrust"}
_GLOBAL = frozenset({""})
_ONLY = {  # the others are there in thrust, too
    "span": _STANDARD,
    "exchange": _STANDARD,
    "Uninitialized": frozenset({"cub"}),
}
_COUNTED = {
    "make_integer_sequence": "integer_sequence",
    "make_index_sequence": "index_sequence",
    "index_sequence_for": "index_sequence",
}
_COMPLEX = re.compile(r"cuC(omplex)?[a-zA-Z]+$|make_cu\w*Complex$")
_PATH = "standard_library.cuh"


def class_named(namespaces: Sequence[str], name: str) -> nodes.ClassDefinition | None:
    """The class template of that name in these namespaces, in our text of the C++ library."""
    return _library()[0].get(name) if _is_there(namespaces, name) else None


def standard_type(
    name: nodes.QualifiedName, scope: Scope, program: Program, reader: Reader
) -> CType | None:
    """What `std::span<T>` is where no header says it; None for any other name."""
    last, before = name.parts[-1], name.parts[:-1]
    plain = getattr(last, "name", "")
    if plain in program.classes or plain in program.aliases or plain in program.alias_templates:
        return None
    if not all(isinstance(part, c_ast.ID) for part in before):
        return None
    namespaces = [part.name for part in before]
    if plain in _COUNTED and isinstance(last, nodes.TemplateId):
        made = class_named(namespaces, _COUNTED[plain])
        return None if made is None else _counted(made, last, scope, program, reader)
    definition = class_named(namespaces, plain)
    if definition is None:
        return None
    if not isinstance(last, nodes.TemplateId):
        return reader.class_type(definition, scope)
    span = plain == "span" and last.arguments
    if span and _is_fixed(constants.evaluate(last.arguments[-1], scope, program, reader)):
        return None
    inner = type(scope)()
    reader.bind_arguments(definition.template, last.arguments, inner, scope)
    return reader.instance(definition, inner)


def _counted(
    definition: nodes.ClassDefinition,
    name: nodes.TemplateId,
    scope: Scope,
    program: Program,
    reader: Reader,
) -> CType | None:
    """`make_index_sequence<4>`: the numbers from 0 on."""
    inner = type(scope)()
    *values, pack = definition.template.parameters
    if not name.arguments:
        return None
    reader.bind_arguments(nodes.Template(values), name.arguments[:-1], inner, scope)
    if name.name == "index_sequence_for":
        arguments, is_whole = template_packs.spread(name.arguments, scope)
        count = len(arguments) if is_whole else None
    else:
        count = whole(constants.evaluate(name.arguments[-1], scope, program, reader))
    if count is None or not 0 <= count <= template_packs.MOST:
        return None
    type_ = reader.read(pack.type, inner)
    places = [constant_places.place(number, type_) for number in range(count)]
    inner.names[pack.name] = template_packs.of_places(pack.name, places)
    return reader.instance(definition, inner)


def _is_fixed(extent: int | float | None) -> bool:
    """Whether the last argument of a standard class is the extent of a span that has no size."""
    return extent is not None and extent not in (-1, 2**64 - 1)


def functions_named(qualified: str) -> list[nodes.Function]:
    """The function templates of that qualified name, in our text of the C++ library."""
    namespace, _, name = qualified.rpartition("::")
    return _library()[1].get(name, []) if _is_there(namespace.split("::"), name) else []


def is_standard(span: Span) -> bool:
    """Whether something stands in our text of the C++ library, and in no file of the user."""
    return span.source is _source()


def _is_there(namespaces: Sequence[str], name: str) -> bool:
    there = _GLOBAL if _COMPLEX.match(name) else _ONLY.get(name, _WITH_THRUST)
    return "::".join(filter(None, namespaces)) in there


@cache
def _source() -> SourceText:
    return SourceText(_PATH, grammar_text(_PATH))


@cache
def _library() -> tuple[Mapping[str, nodes.ClassDefinition], Mapping[str, list[nodes.Function]]]:
    unit = parse_cuda(_source())
    classes = {
        each.name: each for each in unit.declarations if isinstance(each, nodes.ClassDefinition)
    }
    functions: dict[str, list[nodes.Function]] = {}
    for each in unit.functions:
        if not each.scope:
            functions.setdefault(each.decl.name, []).append(each)
    return classes, functions
