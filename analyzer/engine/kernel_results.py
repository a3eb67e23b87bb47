"""Results of kernels that were judged before: of another file of the run, or before an edit.

In: a kernel that was read anew, and how to check it. Out: what a check says of it, kept from
before where its key is the same (`kernels/kernel_content.py`), with its places where they are now.
Work counts as if it were done again, so that a result and those of the kernels after it do not
depend on what was checked before. What fits into half of what is allowed is complete whatever is
allowed; what was cut short, or came near to it, is used again only where as much is allowed. Not
kept: kernels with an error of our own, and those of which something rests on other kernels.
"""

from __future__ import annotations

import marshal
import os
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

from ...rules.plugins import PluginCheck
from ..analyses.launch.allowance import METER
from ..analyses.races.specimens import MOST_MADE
from ..source.plain_form import Form, FormError, Forms
from ..source.records import dataclass
from ..source.text import Span
from .coverage import Judged, definition_of
from .file_check import FileCheck
from .includers import names_included
from .inputs import is_shared
from .kernels.anchors import Anchors
from .kernels.kernel_content import Contents
from .kernels.looked_at import LookedAt
from .kernels.moved_lines import MovedLines, UnclearError
from .kernels.told import Told, kept, retold, told_by
from .stored_results import RECORDS

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable

    from ..analyses.coverage.judgement import Judgement
    from ..cuda.keeping import Keeping
    from ..findings.finding import Assumption, Finding
    from ..findings.notes import Note
    from ..findings.rule import Rule
    from ..ir.kernel import Kernel, Module
    from .file_check import Asked
    from .inputs import InputFile
    from .kernels.moved_lines import Extent

_MOST = 40_000_000  # bytes of kept results
_ANY = None  # allowance that is enough
_SEVERAL = 2  # files that read a header


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
    """A part as plain data, and what it was found with."""

    plain: bytes
    told: Told
    allowed: float  # steps
    steps: float  # that it took
    left: tuple[str, ...]  # codes of the rules that were not applied
    lines: tuple[Extent, ...]  # that its anchors took
    distant: bool  # whether it can rest on how far two functions are from each other

    @property
    def is_whole(self) -> bool:
        """Whether it came to its end, whichever way a check parts what is allowed."""
        return not self.left and self.steps <= self.allowed / 2


class Content(NamedTuple):
    """What the result of a kernel rests on: a key, and anchors of its places."""

    key: bytes
    anchors: Anchors
    specimens: int | None = None  # on so many, and no other instance of its text; None: on all


@dataclass(slots=True)
class KernelResults:
    """Results of the kernels that a run checked last, by keys of what they rest on.

    With `of_headers`, only those in texts that several files read: nothing is edited meanwhile. A
    key costs a twentieth of what a check does, and most headers have one reader: kernels are kept
    from the second one on, or from the first where `files` say that they will have another; those
    of a source, where another of the files includes it.
    """

    of_headers: bool = False
    files: tuple[InputFile, ...] = ()  # that are checked
    used: int = 0  # results that were of use
    _kept: dict[tuple[bytes, float | None], _Kept] = field(default_factory=dict)
    _narrow: set[bytes] = field(default_factory=set)  # keys that say too little
    _readers: dict[str, str] = field(default_factory=dict)  # the first file that read a header
    _named: Counter[str] | None = None  # how many files read a header, by its name
    _bytes: int = 0
    _module: Module | None = None
    _asked: Asked | None = None
    _contents: Contents | None = None
    _places: _Places | None = None

    def check(
        self, kernel: Kernel, module: Module, asked: Asked, check: Callable[[FileCheck], list[Rule]]
    ) -> tuple[FileCheck, list[Rule]]:
        """What is said of a kernel, and the rules that were not applied to it."""
        outcome = FileCheck(asked.file)
        content = self._content(kernel, module, asked)
        if content is None:
            return outcome, check(outcome)
        self._places = self._places or _Places()
        allowed = METER.left
        found = self._found(content.key, allowed)
        plain = None if found is None else _moved(found, content.anchors)
        if found is not None and plain is not None:
            self.used += 1
            METER.spend(found.steps)
            part = self._places.part(plain, content.anchors)
            _fill(outcome, kernel, part, found.told, told_by(module))
            return outcome, [rule for rule in asked.rules if rule.code in found.left]
        left = check(outcome)
        while content is not None and _says_too_little(content, outcome, kernel):
            self._narrow.add(content.key)
            content = self._content(kernel, module, asked)
        alone = not outcome.problems and not outcome.rests_on_others
        if content is not None and alone and outcome.status == "none":
            told = told_by(module)
            plain = self._places.plain(_part(outcome, kernel, told), content.anchors)
            if plain is not None:
                lines = _lines(content.anchors)
                codes = tuple(rule.code for rule in left)
                spent = (allowed, allowed - METER.left, codes)
                distant = any(finding.flows for finding in outcome.findings)
                self._keep(content.key, _Kept(marshal.dumps(plain), told, *spent, lines, distant))
        return outcome, left

    def _found(self, key: bytes, allowed: float) -> _Kept | None:
        """What was kept for such a kernel and holds for what it is allowed now."""
        for place in ((key, allowed), (key, _ANY)):
            found = self._kept.pop(place, None)
            if found is not None:
                self._kept[place] = found  # what was of use is dropped last
                if place[1] is not _ANY or found.steps <= allowed / 2:
                    return found
        return None

    def _keep(self, key: bytes, new: _Kept) -> None:
        place = (key, _ANY if new.is_whole else new.allowed)
        before = self._kept.pop(place, None)
        self._bytes += len(new.plain) - (len(before.plain) if before is not None else 0)
        self._kept[place] = new
        while self._bytes > _MOST:
            self._bytes -= len(self._kept.pop(next(iter(self._kept))).plain)

    def _content(self, kernel: Kernel, module: Module, asked: Asked) -> Content | None:
        """The key of a kernel that can be kept; None for one that is checked each time."""
        brought = any(isinstance(rule.check, PluginCheck) for rule in asked.rules)
        if (
            module.language != "cuda"
            or brought
            or (self.of_headers and (kernel.uncalled or self._is_first(kernel, module)))
        ):
            return None
        try:
            if module is not self._module or asked is not self._asked or self._contents is None:
                self._module, self._asked = module, asked
                self._contents = Contents(module, asked.settings, asked.rules)
            return self._keyed(kernel, self._contents)
        except TypeError:  # something that has no text
            return None

    def end(self) -> None:
        """Nothing of a file is kept beyond its check."""
        self._module = self._asked = self._contents = None

    def _is_first(self, kernel: Kernel, module: Module) -> bool:
        """Whether no other file is known to read the text of a kernel."""
        text, reader = kernel.body_span.source, module.source
        if self._readers.setdefault(text.path, reader.path) != reader.path:
            return False
        if self._named is None:
            self._named = names_included(self.files)
        itself = not is_shared(text, reader)  # a source that others may include
        return self._named[os.path.basename(text.path)] + itself < _SEVERAL

    @property
    def reading(self) -> Keeping | None:
        """What is kept of the reading of files; nothing, where a run reads each once."""
        return None

    def _keyed(self, kernel: Kernel, contents: Contents) -> Content:
        """The narrowest key that is not known to say too little."""
        if self.of_headers:
            for specimens in (1, MOST_MADE) if kernel.is_open else (0,):
                made = _looked_at(kernel).first(specimens) if specimens else ()
                alone = contents.key_alone(kernel, made)
                if alone[0] not in self._narrow:
                    return Content(*alone, specimens)
        return Content(*contents.key(kernel))


def _looked_at(kernel: Kernel) -> LookedAt:
    """What is told how many made-up instances of a kernel are looked at."""
    if not isinstance(kernel.specimens, LookedAt):
        kernel.specimens = LookedAt(kernel.specimens)
    return kernel.specimens


def _says_too_little(content: Content, outcome: FileCheck, kernel: Kernel) -> bool:
    """Whether a result rests on more than its key."""
    if content.specimens is None:
        return False
    looked = kernel.is_open and _looked_at(kernel).asked > content.specimens
    return outcome.rests_on_instances or looked


def _lines(anchors: Anchors) -> tuple[Extent, ...]:
    return tuple(each.lines for each in anchors.found)


def _moved(found: _Kept, anchors: Anchors) -> Any:
    """The plain data with the lines of now; None where they cannot be told."""
    plain = marshal.loads(found.plain)
    lines = _lines(anchors)
    if lines == found.lines:
        return plain
    functions = [number for number, each in enumerate(anchors.found) if each.is_function]
    shifts = {lines[number].first - found.lines[number].first for number in functions}
    if found.distant and len(shifts) > 1:
        return None
    try:
        return MovedLines(found.lines, lines).texts(plain)
    except UnclearError:
        return None


def _part(outcome: FileCheck, kernel: Kernel, told: Told) -> KernelPart:
    place = definition_of(kernel)
    return KernelPart(
        [kept(each, told) for each in outcome.findings],
        [each.judgement for each in outcome.judged],
        outcome.assumptions,
        outcome.notes,
        outcome.accesses,
        place in outcome.launched,
        place in outcome.seen,
        bool(outcome.guessed),
    )


def _fill(outcome: FileCheck, kernel: Kernel, part: KernelPart, before: Told, now: Told) -> None:
    """What a part says, of the kernel where it stands now."""
    place, line = definition_of(kernel), kernel.span.line
    outcome.findings += [retold(each, before, now) for each in part.findings]
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
        self._rules: dict[str, Rule] = {}
        special = {
            "Rule": Form(self._code, self._rule),
            "Span": Form(self._plain, self._span),
        }
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

    def _code(self, rule: Rule) -> str:
        self._rules[rule.code] = rule
        return rule.code

    def _rule(self, code: str) -> Rule:
        return self._rules[code]

    def _plain(self, span: Span) -> tuple[int, int, int]:
        found = self._anchors.known(span)
        if found is None:
            raise FormError(f"{span!r} lies in no anchor")
        return found

    def _span(self, data: tuple[int, int, int]) -> Span:
        number, start, length = data
        anchor = self._anchors.found[number]
        return Span(anchor.source, anchor.start + start, anchor.start + start + length)
