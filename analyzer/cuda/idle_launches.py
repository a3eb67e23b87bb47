"""Launches in host functions that nothing can call: they make instances of templates, no more; and
kernels that nothing can launch.

In: what the host of a translation unit launches, and its functions. Out: the same launches, with
nothing said of grid, block and arguments where they stand in a function that is known in its file
alone, `static` or `inline` in a source that is no header, and that nothing else in it names:
`inline void instantiate() { kernel<true><<<1, 1>>>(data); }`. A macro that has its name may mean
it; a comment does not. Kernels are `static` or templates that only their definition names, in a
source that launches others: one that launches none may be there to be included.
Not handled: functions in unnamed namespaces, members of classes, functions that only call each
other.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING

from ..source.tokens import word_counts
from .host.values.values import UNKNOWN_DIMENSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..ir.kernel import Launch, Module
    from ..source.text import SourceText, Span
    from .host.launches import Seen
    from .lowering.program.program import Program
    from .syntax import nodes

_SOURCES = frozenset({".cu", ".cc", ".cpp", ".cxx", ".c"})  # what no other file includes
_OWN = frozenset({"static", "inline", "__inline__", "__forceinline__"})


def without_idle(
    launches: Iterable[Seen],
    functions: Iterable[nodes.Function],
    program: Program,
    source: SourceText,
) -> list[Seen]:
    """The launches, with unknown shapes and arguments where they never happen."""
    idle = list(_idle(functions, program, source))
    return [
        replace(each, launch=_unknown(each.launch))
        if any(_is_within(each.launch.span, function) for function in idle)
        else each
        for each in launches
    ]


def _idle(
    functions: Iterable[nodes.Function], program: Program, source: SourceText
) -> Iterator[Span]:
    if PurePath(source.path).suffix not in _SOURCES:
        return
    alone = [
        each
        for each in functions
        if each.coord is not None
        and each.coord.source is source
        and not _OWN.isdisjoint((*each.decl.funcspec, *each.decl.storage))
        and not (each.template or program.is_method(each))
    ]
    named = word_counts(source.text) if alone else {}
    for each in alone:
        if named.get(each.decl.name) == 1:
            yield each.coord


class UnlaunchedKernels:
    """The kernels of a module that nothing can launch."""

    def __init__(self, module: Module) -> None:
        self._module = module

    def has(self, function: nodes.Function) -> bool:
        """Whether nothing can launch a kernel of which no launch is seen."""
        source = self._module.source
        if function.coord is None or function.coord.source is not source:
            return False
        own = "static" in function.decl.funcspec or function.template is not None
        return own and self._is_program and self._named.get(function.decl.name) == 1

    @cached_property
    def _is_program(self) -> bool:
        source = self._module.source
        launching = any(each.span.source is source for each in self._module.launches)
        return launching and PurePath(source.path).suffix in _SOURCES

    @cached_property
    def _named(self) -> Mapping[str, int]:
        return word_counts(self._module.source.text)


def _is_within(span: Span, outer: Span) -> bool:
    return span.source is outer.source and outer.start <= span.start < outer.end


def _unknown(launch: Launch) -> Launch:
    """A launch of which only the kernel and its template arguments count."""
    nothing = (None,) * len(launch.arguments)
    return replace(
        launch,
        grid=UNKNOWN_DIMENSIONS,
        block=UNKNOWN_DIMENSIONS,
        dynamic_shared=None,
        grid_text="",
        block_text="",
        shared_text="",
        arguments=nothing,
        divisors=(),
        shaping=(),
        axes=(),
        multiples=(),
        formulas=None,
        sizes=(),
        conditional=True,
    )
