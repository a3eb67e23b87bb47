"""Which findings a report for people only counts: what it shows is to be worth their minute.

In: the findings of a run, the inputs that it has. Out: those that are shown, and the notes that are
not: on costs that nobody would notice, and, in a run of several files, all others that do not stand
out (`Rule.notes_stand_out`). Who names one file reads it with the report beside it; who names a
folder asks what to do first. Of 221 notes that were read as the owners of libraries would, 57 of
the 68 of API001 were worth a line of their own, and 38 of the other 153. So it is with what is no
error in tests, beside the code that they test: 3 of 19. Shown are all errors, warnings elsewhere,
what was measured, and what rules say that have to be asked for. Machines get all.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from ...findings.finding import Severity, number_of
from ...source.records import dataclass
from ...source.words import percent, plural
from ..text.cells import printable_line
from .gain import LITTLE, saves_little

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...engine.result import RunResult
    from ...findings.finding import Finding


_TESTS = re.compile(r"(^|[/\\])(unit_?)?test(s|ing)?[/\\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The findings that are only counted."""

    more: Sequence[Finding]  # beyond the number that is shown
    little: Sequence[Finding]  # notes that would save next to nothing
    aside: Sequence[Finding]  # notes beside what is more urgent
    of_tests: Sequence[Finding]  # no errors, in tests alone

    def __bool__(self) -> bool:
        return bool(self.more or self.little or self.aside or self.of_tests)


def parted(result: RunResult, most: int, *, every: bool) -> tuple[list[Finding], LeftOut]:
    """What is shown, at most so many (0 for all), and what is only counted; `every` note is shown
    where that was asked for.
    """
    shown: list[Finding] = []
    little: list[Finding] = []
    aside: list[Finding] = []
    of_tests: list[Finding] = []
    read = [item.path for item in result.inputs if item.status != "none"]
    beside = not all(map(_is_test, read))
    for finding in result.findings:
        if every or finding.severity is Severity.ERROR:
            shown.append(finding)
        elif saves_little(finding):
            little.append(finding)
        elif beside and _is_of_tests(finding):
            of_tests.append(finding)
        elif finding.severity is Severity.NOTE and len(read) > 1 and _is_beside(finding):
            aside.append(finding)
        else:
            shown.append(finding)
    more = shown[most:] if most else ()
    return shown[: most or None], LeftOut(more, little, aside, of_tests)


def _is_test(path: str) -> bool:
    return _TESTS.search(path) is not None


def _is_of_tests(finding: Finding) -> bool:
    """Whether it is in tests, wherever it is, and nobody measured it."""
    places = (finding.span, *(place.span for place in finding.places))
    return finding.measured is None and all(_is_test(span.path) for span in places)


def _is_beside(note: Finding) -> bool:
    """Whether nobody asked for this note, in so many words or by measuring."""
    return note.rule.default and not note.rule.notes_stand_out and note.measured is None


def left_out_lines(left_out: LeftOut) -> Iterator[str]:
    """How many findings of which rules are not shown, and how to see them."""
    if left_out.more:
        more = plural(number_of(left_out.more), "more finding")
        yield f"{more} not shown; --max-findings 0 shows all:"
        yield from _by_rule(left_out.more)
    if left_out.aside:
        yield f"{plural(number_of(left_out.aside), 'note')} only counted; --verbose shows all:"
        yield from _by_rule(left_out.aside)
    if left_out.of_tests:
        number = plural(number_of(left_out.of_tests), "finding")
        yield f"{number} in tests, no errors, only counted; --verbose shows all:"
        yield from _by_rule(left_out.of_tests)
    if left_out.little:
        yield f"{little_text(number_of(left_out.little))}; --verbose shows all:"
        yield from _by_rule(left_out.little)


def little_text(count: int) -> str:
    """`3 notes that would save less than 10 % not shown`."""
    return f"{plural(count, 'note')} that would save less than {percent(LITTLE)} not shown"


def _by_rule(findings: Sequence[Finding]) -> Iterator[str]:
    """`  12 GLB001 uncoalesced-access (up to 66 % of a kernel's time, at a.cu:12)` of each rule."""
    counts = Counter[str]()
    for finding in findings:
        counts[finding.rule.code] += number_of([finding])
    width = len(f"{max(counts.values()):,}")
    for code, count in counts.most_common():
        own = [finding for finding in findings if finding.rule.code == code]
        yield f"  {count:>{width},} {code} {own[0].rule.name}{_most(own)}"


def _most(findings: Sequence[Finding]) -> str:
    """What the one of them that gains most saves and where, if that is worth a word."""
    gains = [(each.gain.time, each) for each in findings if each.gain is not None]
    most, finding = max(gains, key=lambda pair: pair[0], default=(0.0, None))
    if finding is None or most < LITTLE:
        return ""
    place = printable_line(f"{finding.span.path}:{finding.span.line}")
    return f" (up to {percent(most)} of a kernel's time, at {place})"
