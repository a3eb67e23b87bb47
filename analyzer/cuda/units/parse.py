"""CUDA C++ source to an AST, without compiler, toolkit or headers.

In: a `SourceText` and `ParseOptions`. Out: a `TranslationUnit`: every function that runs on the
device, every host function that launches or talks to the CUDA runtime, and the declarations they
rest on. Steps: preprocess, outline, then parse each declaration, each function header and each
body on its own, so that damage stays where it is. A statement that cannot be read is a
`nodes.Opaque`. Not handled: template instantiation, overload resolution, constant folding (the
lowering's business); host functions that have nothing to do with CUDA are not parsed.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import field, replace
from functools import cache, partial
from typing import TYPE_CHECKING

from ....grammars import grammar_data
from ...ir.kernel import UnseenHeaders
from ...source.collection import collection_paused
from ...source.preprocessor import PreprocessorOptions, preprocess
from ...source.problem import Damage, Problem
from ...source.records import dataclass
from ..names.launch_marks import shows_launch
from ..names.runtime import HOST_STEPS, is_for_hip, is_of_toolkit
from .undecided_floats import resting_on, undecided_floats
from .unit import UnitParser

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ...ir.kernel import HostStep
    from ...source.preprocessor import Preprocessed
    from ...source.text import SourceText, Span
    from ..syntax import nodes
    from ..syntax.later_body import KeptBodies
    from ..syntax.nodes.c_ast import c_ast

    #: A statement that was not read, and what it is of all of them.
    _Lost = tuple[nodes.Opaque, str]

_MACRO = "if a macro causes this, pass its header's folder with -I or define it with -D"
_AS_WRITTEN = (
    "no macro stands there, so compilers should refuse it, too: fix the code, or leave the file "
    "out with --exclude"
)
_DEVICE = frozenset({"__device__", "__global__"})


@cache
def default_qualifier_macros() -> dict[str, str]:
    """Macros of well-known projects that stand for `__global__` and its like."""
    table = grammar_data("cuda_names.toml")["kernel_macros"]
    return {word: meaning for meaning, words in table.items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """How to read a file: -D, -U, -I, --arch (90 for sm_90), and qualifier macros not defined in
    sight."""

    defines: Mapping[str, str] = field(default_factory=dict)
    undefines: frozenset[str] = frozenset()
    include_paths: tuple[Path | str, ...] = ()
    arch: int | None = None
    qualifier_macros: Mapping[str, str] = field(default_factory=default_qualifier_macros)


@dataclass(frozen=True, slots=True)
class TranslationUnit:
    """A CUDA file as parsed. `opaque` holds the statements of each function not understood."""

    source: SourceText
    functions: list[nodes.Function]
    declarations: list[c_ast.Node]
    macros: dict[str, str]  # object-like macros and their replacement
    problems: list[Problem]
    opaque: dict[nodes.Function, list[nodes.Opaque]]
    includes: dict[str, bool]  # the name in `#include "name"` -> was the file found
    missing: list[str]  # headers that were not found, `<name>` too
    sources: list[SourceText]  # the file itself, then the included ones
    dropped: list[Span]  # text under conditions that do not hold
    unseen: UnseenHeaders
    statements: int  # in the bodies of `functions`, those in `opaque` included
    steps: frozenset[HostStep]  # what its code, that of headers included, does about limits
    for_hip: bool  # whether it reads the headers of AMD's runtime, or lies among such files
    by_value: frozenset[str]  # functions that write none of the variables they are given
    unread: Mapping[str, frozenset[tuple[str, ...]]]  # scopes of functions that are not parsed
    scopes: Mapping[int, tuple[str, ...]]  # around declarations, by the id of the node
    undecided_floats: frozenset[str]  # what is `float` or `double`, or rests on it


def preprocessed(source: SourceText, options: ParseOptions) -> Preprocessed:
    """The tokens of a CUDA file and of the headers that it reads, before they are cut up."""
    flags = PreprocessorOptions(
        options.defines, options.undefines, options.include_paths, options.arch
    )
    return preprocess(source, flags)


def parse_cuda(
    source: SourceText, options: ParseOptions | None = None, kept: KeptBodies | None = None
) -> TranslationUnit:
    """Parse one file; never raises, whatever the text. `kept` are bodies that need no reading."""
    options = options or ParseOptions()
    with collection_paused():
        text = preprocessed(source, options)
        unit = UnitParser(text.tokens, text.places, options.qualifier_macros, kept)
        unit.run()
    macros = {n: m.value for n, m in text.macros.items() if m.parameters is None}
    problems = text.problems + unit.problems
    unseen = text.unseen
    share = _share_not_read(source, unit)
    if share is not None:
        problems.append(share)
    return TranslationUnit(
        source,
        unit.functions,
        unit.declarations,
        macros,
        problems,
        unit.opaque,
        text.includes,
        text.missing,
        text.places.sources,
        text.dropped,
        UnseenHeaders(unseen, tuple(text.undecided), tuple(text.defaults))
        if unseen
        else UnseenHeaders(),
        unit.statements,
        _steps(text),
        is_for_hip(source.path, text),
        unit.by_value,
        unit.unread,
        unit.scopes,
        resting_on(undecided_floats(text.undecided), unit.functions, unit.declarations, macros),
    )


def _steps(text: Preprocessed) -> frozenset[HostStep]:
    """What everything that was read, but for the toolkit's own headers, does about limits."""
    if HOST_STEPS.keys().isdisjoint(text.tokens.texts):
        return frozenset()
    foreign = [is_of_toolkit(each.path) for each in text.places.sources]
    found: set[HostStep] = set()
    for word, place in zip(text.tokens.texts, text.tokens.places, strict=True):
        if word in HOST_STEPS:
            at = text.places.use_start(place)
            if not foreign[bisect_right(text.places.bases, at) - 1]:
                found.add(HOST_STEPS[word])
    return frozenset(found)


def _share_not_read(source: SourceText, unit: UnitParser) -> Problem | None:
    """One note for all statements that were not read, placed at what costs most: a launch or a
    statement of a device function, then one of a kernel, of which the kernel tells, too. In host
    code a macro before a block, which is read, is none of them, and what is lost costs no kernel
    anything unless it launches.
    """
    every: list[nodes.Opaque] = []
    grave: list[_Lost] = []
    of_kernels: list[_Lost] = []
    where = 0
    for function, opaque in unit.opaque.items():
        of_host = _DEVICE.isdisjoint(function.decl.funcspec)
        found = [each for each in opaque if not (of_host and each.headed)]
        every += found
        where += bool(found)
        if of_host:
            launches = (each for each in found if shows_launch(each.text))
            grave += [(each, "a launch among them") for each in launches]
        elif "__global__" not in function.decl.funcspec:
            grave += [(each, f"one in {function.decl.name} among them") for each in found]
        elif found:
            of_kernels += [(each, "the first") for each in dict.fromkeys((found[0], found[-1]))]
    if not every:
        return None
    message = (
        f"{len(every)} of {unit.statements} statements, in {where} of {len(unit.functions)} "
        f"functions, could not be parsed and were not analysed"
    )
    damage = Damage.PARTIAL if grave or of_kernels else Damage.NOTICE
    at, *others = grave[:1] or of_kernels or [(every[0], "the first")]
    make = partial(_not_read, source.path, message, damage)
    return replace(make(at), others=tuple(map(make, others)))


def _not_read(path: str, message: str, damage: Damage, at: _Lost) -> Problem:
    """The note of all statements that were not read, placed at one of them."""
    lost, why = at
    # One macro heads blocks all over; one place of a header is lost for each file that reads it.
    cause = lost.reason if lost.headed is not None else f"{lost.coord}: {lost.reason}"
    advice = _AS_WRITTEN if lost.literal else _MACRO
    message = f"{message}; {why}: {lost.reason}"
    return Problem(path, message, advice, damage, lost.coord, cause=cause)
