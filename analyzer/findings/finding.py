"""Findings are values: what a rule found, where, how sure it is, and what it rests on.

Every report (console, JSON, SARIF) is made from these records and nothing else. A message is made
of parts, each with the place it speaks of, so that no report has to cut prose apart. Evidence is a
list of facts: a name and plain data for machines, a sentence for people.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..source.text import Span
    from .gain import Gain
    from .measurement import Measurement
    from .rule import Joins, Rule
    from .witness import ThreadFlow

#: What a fact may hold: JSON as it is.
Data = None | bool | int | float | str | list["Data"] | dict[str, "Data"]


class Severity(Enum):
    """How bad it is when the finding is true."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Severity).index(self)


class Certainty(Enum):
    """Whether the finding was shown, or is only likely; `possible` is off by default."""

    DEFINITE = "definite"
    POSSIBLE = "possible"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message and the place it speaks of, if any."""

    text: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """One piece of evidence; `text` is None when only machines should see it."""

    name: str
    value: Data
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something the finding rests on that the kernel alone does not say."""

    name: str  # "block", "grid", "arch", a parameter's name
    value: Data
    origin: str  # where it came from: "launch at line 40", "--block", "default; set --block"
    text: str = ""  # for people, where "name = value (origin)" does not say it


@dataclass(frozen=True, slots=True)
class StatedDoubt:
    """What speaks against the finding; one that silences is shown on request alone."""

    name: str  # as `docs/doubts.md` lists it
    reason: str
    silences: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that belongs to the finding; `label` stands under its caret."""

    span: Span
    label: str


@dataclass(frozen=True, slots=True)
class OtherPlace:
    """Another place with the same cause; `label` says what it costs there."""

    span: Span
    label: str
    kernel: str


class Applicability(Enum):
    """What a fix may change: nothing but the defect, maybe more, or it is advice only."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    ADVICE = "advice"

    @property
    def rank(self) -> int:
        """0 for the safest."""
        return list(Applicability).index(self)


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters of `span` by `text`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """What to do about the finding; advice has no edits."""

    title: str
    applicability: Applicability = Applicability.ADVICE
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect or remark, at one place, of one kernel."""

    rule: Rule
    span: Span
    message: tuple[Part, ...]
    kernel: str
    severity: Severity
    label: str = ""  # stands under the primary caret
    evidence: tuple[Fact, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    related: tuple[Related, ...] = ()
    flows: tuple[ThreadFlow, ...] = ()  # the witness: what each of its threads does
    fixes: tuple[Fix, ...] = ()
    verify: str = ""  # how to see it in Nsight Compute or compute-sanitizer
    doubts: tuple[StatedDoubt, ...] = ()  # what speaks against it, if anything does
    array: str = ""  # what is accessed, where that is the cause
    layout: str = ""  # how arrays lie that kernels of a file may share, where that is the cause
    gain: Gain | None = None
    places: tuple[OtherPlace, ...] = ()  # of findings that are reported together with this one
    copies: int = 0  # findings of other files that a reader of all files is shown as this one
    cause: Span | None = None  # what decides; findings of a kernel that share it are one to readers
    joins: Joins | None = None  # where it does not join as its rule says
    macro: Span | None = None  # the place in a macro's body that says it; the engine fills it in
    definition: Span | None = None  # the kernel's header; the engine fills it in
    arch: int = 0  # compute capability times ten; the engine fills it in
    measured: Measurement | None = None  # what reports of NVIDIA's tools say of it

    @property
    def certainty(self) -> Certainty:
        """Definite where nothing speaks against it."""
        return Certainty.POSSIBLE if self.doubts else Certainty.DEFINITE

    @property
    def text(self) -> str:
        """The message as plain text."""
        return "".join(part.text for part in self.message)

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """Findings are reported by place, then by rule."""
        return (self.span.path, self.span.line, self.span.column, self.rule.code, self.text)


def number_of(findings: Iterable[Finding]) -> int:
    """How many findings these are to those who go by files, each copy in another one included."""
    return sum(1 + each.copies for each in findings)
