"""The result of a file as bytes that can do nothing, and back.

In: a `FileCheck` and the probes that it rests on. Out: compressed JSON. Texts are written once and
named by their number, rules by their code. Bytes that are not what was written (cut off, of another
version, made up, made to swell) give None, never an error, and never more than `most`.
"""

from __future__ import annotations

import json
import zlib
from functools import cache
from typing import TYPE_CHECKING, Any

from ..analyses.coverage.judgement import Judgement
from ..findings.finding import (
    Applicability,
    Assumption,
    Certainty,
    Edit,
    Fact,
    Finding,
    Fix,
    OtherPlace,
    Part,
    Related,
    Severity,
    StatedDoubt,
)
from ..findings.gain import Confidence, Gain
from ..findings.measurement import Measurement, Standing
from ..findings.notes import Note, NoteKind
from ..findings.rule import Input, Joins, Rule
from ..findings.witness import Step, ThreadFlow
from ..ir.host_formulas import OPERATORS, LaunchFormulas, Limits, Operation, Variable
from ..ir.kernel import HostStep, Launch
from ..ir.kernel_identity import DistantLaunch, Exports, KernelIdentity
from ..source.plain_form import Form, FormError, Forms
from ..source.problem import Damage, Problem
from ..source.text import SourceText, Span
from .coverage import Judged
from .inputs import InputFile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ir.host_formulas import Formula
    from ..source.file_probes import Probe
    from .file_check import FileCheck

FORMAT = 6  # of the bytes; the version of warplint is a part of the place that they are kept at

_MOST_TEXT = 16_000_000  # bytes of JSON
RECORDS = (
    Applicability, Assumption, Certainty, Confidence, Damage, DistantLaunch, Edit, Exports, Fact,
    Finding, Fix, Gain, HostStep, Input, InputFile, Joins, Judged, Judgement, KernelIdentity,
    Launch, LaunchFormulas, Measurement, Note, NoteKind, OtherPlace, Part, Problem, Related,
    Severity, Standing, StatedDoubt, Step, ThreadFlow,
)  # fmt: skip


def written(outcome: FileCheck, probes: set[Probe], most: int = _MOST_TEXT) -> bytes | None:
    """The bytes of a file's result to store; None for one that has no form, or is too large."""
    try:
        data = json.dumps(_results().to_plain(outcome, probes), separators=(",", ":")).encode()
    except (FormError, RecursionError, MemoryError, ValueError):
        return None
    return zlib.compress(data, 1) if len(data) <= most else None


def read(
    data: bytes, rules: Mapping[str, Rule], most: int = _MOST_TEXT
) -> tuple[FileCheck, set[Probe]] | None:
    """A file's result from stored bytes, with these rules in place of their codes."""
    try:
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(data, most)
        if not unpacking.eof:
            return None
        return _results().from_plain(json.loads(text), rules)
    except (zlib.error, FormError, RecursionError, MemoryError, ValueError):
        return None


class _Results:
    """The forms of results, and the texts and rules of the one that is at hand."""

    def __init__(self) -> None:
        from .file_check import FileCheck

        self._sources: list[SourceText] = []
        self._numbers: dict[int, int] = {}
        self._rules: Mapping[str, Rule] = {}
        place = _PLAIN["tuple[str, int]"]
        forms = Forms(
            (*RECORDS, FileCheck),
            {
                "Formula": Form(_plain_formula, formula),
                "KernelSheet": Form(_not_stored, _not_stored),
                "Place": place,
                "Rule": Form(lambda rule: rule.code, self._rule),
                "SourceText": Form(self._number, self._source),
                "Span": Form(self._numbered, self._span),
            },
        )
        forms.add("Entry", "tuple[int, tuple[str, ...]]")
        forms.add("PartialDimensions", "tuple[int | None, int | None, int | None]")
        forms.add("Shape", "tuple[Formula | None, Formula | None, Formula | None]")
        self._outcome = forms["FileCheck"]

    def to_plain(self, outcome: FileCheck, probes: set[Probe]) -> list[Any]:
        """A result as plain data."""
        self._sources, self._numbers = [], {}
        plain = self._outcome.to_plain(outcome)
        sources = [[source.path, source.text] for source in self._sources]
        return [FORMAT, _PROBES.to_plain(probes), sources, plain]

    def from_plain(self, data: Any, rules: Mapping[str, Rule]) -> tuple[FileCheck, set[Probe]]:
        """The result; raises FormError."""
        if data.__class__ is not list or len(data) != 4 or data[0] != FORMAT:
            raise FormError("another format")
        self._sources = [SourceText(*row) for row in _SOURCES.from_plain(data[2])]
        self._rules = rules
        return self._outcome.from_plain(data[3]), _PROBES.from_plain(data[1])

    def _rule(self, code: Any) -> Rule:
        rule = self._rules.get(code) if code.__class__ is str else None
        if rule is None:
            raise FormError(f"{code!r} is no rule")
        return rule

    def _number(self, source: SourceText) -> int:
        number = self._numbers.setdefault(id(source), len(self._sources))
        if number == len(self._sources):
            self._sources.append(source)
        return number

    def _source(self, number: Any) -> SourceText:
        if number.__class__ is not int or not 0 <= number < len(self._sources):
            raise FormError(f"{number!r} is no text")
        return self._sources[number]

    def _numbered(self, span: Span) -> list[int]:
        return [self._number(span.source), span.start, span.end]

    def _span(self, data: Any) -> Span:
        if data.__class__ is not list or len(data) != 3:
            raise FormError(f"{data!r} is no span")
        source, (start, end) = self._source(data[0]), data[1:]
        if not (start.__class__ is end.__class__ is int):
            raise FormError(f"{data!r} is no span")
        if not 0 <= start <= end <= len(source.text):
            raise FormError(f"{data!r} is no span of {source.path}")
        return Span(source, start, end)


def _not_stored(value: Any) -> Any:
    raise FormError("what is made for a report is not stored")


def _plain_formula(formula: Formula) -> Any:
    """A number as it is, a variable as number, name and limits, an operation as its three parts."""
    if isinstance(formula, Variable):
        limits = formula.limits
        return [[formula.number, formula.name, limits.least, limits.most]]
    if isinstance(formula, Operation):
        return [formula.operator, _plain_formula(formula.left), _plain_formula(formula.right)]
    return formula


def formula(data: Any) -> Formula:
    """A host formula read back from a stored result; raises FormError."""
    if data.__class__ is int:
        return int(data)
    if data.__class__ is list and len(data) == 1 and data[0].__class__ is list:
        number, name, *limits = data[0] if len(data[0]) == _OF_VARIABLE else (None, None)
        limited = all(each is None or each.__class__ is int for each in limits)
        if number.__class__ is int and name.__class__ is str and limited:
            return Variable(number, name, Limits(*limits))
    if data.__class__ is list and len(data) == 3 and data[0] in OPERATORS:
        return Operation(data[0], formula(data[1]), formula(data[2]))
    raise FormError(f"{data!r} is no formula")


_OF_VARIABLE = 4  # number, name, least, most
_PLAIN = Forms(())
_PROBES = _PLAIN["set[tuple[str, str, str]]"]
_SOURCES = _PLAIN["list[tuple[str, str]]"]


@cache
def _results() -> _Results:
    return _Results()
