"""Results of kernels that did not change, though their file did.

In: a kernel that was read anew, and how to check it. Out: what a check says of it, kept from
before where its key is the same (`kernel_content.py`), with its places where they are now. Work
counts as if it were done again, so that the kernels after it are given what a check of the whole
file gives them; a result that does not fit into what is allowed is not used. Not kept: kernels that
were not checked completely, or with an error of our own.
"""

from __future__ import annotations

import pickle
from dataclasses import field
from typing import TYPE_CHECKING, Any

from ...rules.plugins import PluginCheck
from ..analyses.launch.allowance import METER
from ..engine.coverage import Judged, definition_of
from ..engine.file_check import FileCheck
from ..engine.stored_results import RECORDS
from ..source.plain_form import Form, FormError, Forms
from ..source.records import dataclass
from ..source.text import Span
from .kernel_content import Anchors, Contents
from .moved_lines import MovedLines, UnclearError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..analyses.coverage.judgement import Judgement
    from ..engine.file_check import Asked
    from ..findings.finding import Assumption, Finding
    from ..findings.notes import Note
    from ..findings.rule import Rule
    from ..ir.kernel import Kernel, Module
    from .moved_lines import Extent

_MOST = 400  # kernels
_ODD = (pickle.PicklingError, TypeError, AttributeError, RecursionError, ValueError)


@dataclass(frozen=True, slots=True)
class KernelPart:
    """What a check says of one kernel, without what follows from where it stands."""

    findings: list[Finding]
    judgements: list[Judgement]
    assumptions: list[Assumption]
    notes: list[Note]
    accesses: int
    launched: bool
    seen: bool
    guessed: bool


@dataclass(frozen=True, slots=True)
class _Kept:
    """A part as plain data, the work it took, and the lines that its anchors took."""

    plain: Any
    steps: float
    lines: tuple[Extent, ...]
    distant: bool  # whether it can rest on how far two functions are from each other


@dataclass(slots=True)
class KernelResults:
    """The kernels that were checked last, by their keys."""

    used: int = 0  # results that were of use
    _kept: dict[bytes, _Kept] = field(default_factory=dict)
    _module: Module | None = None
    _contents: Contents | None = None
    _places: _Places = field(default_factory=lambda: _Places())

    def check(
        self, kernel: Kernel, module: Module, asked: Asked, check: Callable[[FileCheck], list[Rule]]
    ) -> tuple[FileCheck, list[Rule]]:
        """What is said of a kernel, and the rules that were not applied to it."""
        outcome = FileCheck(asked.file)
        content = self._content(kernel, module, asked)
        if content is None:
            return outcome, check(outcome)
        key, anchors = content
        found = self._kept.pop(key, None)
        fits = found is not None and found.steps <= METER.left / 2  # a check parts what it has
        plain = _moved(found, anchors) if found is not None and fits else None
        if found is not None and plain is not None:
            self._kept[key] = found
            self.used += 1
            METER.spend(found.steps)
            _fill(outcome, kernel, self._places.part(plain, anchors))
            return outcome, []
        before = METER.left
        left = check(outcome)
        steps = before - METER.left
        if not left and not outcome.problems and outcome.status == "none":
            plain = self._places.plain(_part(outcome, kernel), anchors)
            if plain is not None:
                lines = tuple(each.lines for each in anchors.found)
                distant = any(finding.flows for finding in outcome.findings)
                self._kept[key] = _Kept(plain, steps, lines, distant)
        while len(self._kept) > _MOST:
            del self._kept[next(iter(self._kept))]
        return outcome, left

    def _content(
        self, kernel: Kernel, module: Module, asked: Asked
    ) -> tuple[bytes, Anchors] | None:
        brought = any(isinstance(rule.check, PluginCheck) for rule in asked.rules)
        if module.language != "cuda" or brought:
            return None
        try:
            if module is not self._module or self._contents is None:
                self._module, self._contents = module, Contents(module, asked)
            return self._contents.key(kernel)
        except _ODD:  # an odd kernel is checked each time
            return None
        finally:
            if kernel is module.kernels[-1]:  # nothing of a file is kept beyond its check
                self._module = self._contents = None


def _moved(kept: _Kept, anchors: Anchors) -> Any:
    """The plain data with the lines of now; None where they cannot be told."""
    lines = tuple(each.lines for each in anchors.found)
    if lines == kept.lines:
        return kept.plain
    functions = [number for number, each in enumerate(anchors.found) if each.is_function]
    shifts = {lines[number][0] - kept.lines[number][0] for number in functions}
    if kept.distant and len(shifts) > 1:
        return None
    try:
        return MovedLines(kept.lines, lines).texts(kept.plain)
    except UnclearError:
        return None


def _part(outcome: FileCheck, kernel: Kernel) -> KernelPart:
    place = definition_of(kernel)
    return KernelPart(
        outcome.findings,
        [each.judgement for each in outcome.judged],
        outcome.assumptions,
        outcome.notes,
        outcome.accesses,
        place in outcome.launched,
        place in outcome.seen,
        bool(outcome.guessed),
    )


def _fill(outcome: FileCheck, kernel: Kernel, part: KernelPart) -> None:
    """What a part says, of the kernel where it stands now."""
    place, line = definition_of(kernel), kernel.span.line
    outcome.findings += part.findings
    outcome.judged += [Judged(kernel.label, place, line, each) for each in part.judgements]
    outcome.assumptions += part.assumptions
    outcome.notes += part.notes
    outcome.accesses += part.accesses
    outcome.launched |= {place} if part.launched else set()
    outcome.seen |= {place} if part.seen else set()
    outcome.guessed |= {(kernel.label, place)} if part.guessed else set()


class _Places:
    """Parts with places by anchors, and back."""

    def __init__(self) -> None:
        self._anchors = Anchors({})
        same = Form(lambda value: value, lambda data: data)
        special = {"Rule": same, "Span": Form(self._plain, self._span)}
        self._form = Forms((KernelPart, *RECORDS), special)["KernelPart"]

    def plain(self, part: KernelPart, anchors: Anchors) -> Any:
        """The part as data that holds no place; None where one lies in no anchor."""
        self._anchors = anchors
        try:
            return self._form.to_plain(part)
        except FormError:
            return None

    def part(self, plain: Any, anchors: Anchors) -> KernelPart:
        """The part, with places in the texts of these anchors."""
        self._anchors = anchors
        made: KernelPart = self._form.from_plain(plain)
        return made

    def _plain(self, span: Span) -> tuple[int, int, int]:
        found = self._anchors.known(span)
        if found is None:
            raise FormError(f"{span!r} lies in no anchor")
        return found

    def _span(self, data: tuple[int, int, int]) -> Span:
        number, start, length = data
        anchor = self._anchors.found[number]
        return Span(anchor.source, anchor.start + start, anchor.start + start + length)
