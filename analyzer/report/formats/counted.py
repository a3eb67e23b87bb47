"""Which findings a report for people only counts: what it shows is to be worth their minute.

In: the findings of a run, the inputs that it has. Out: those that are shown, and the notes that are
not: on costs that nobody would notice, and, in a run of several files, all others that do not stand
out (`Rule.notes_stand_out`). Who names one file reads it with the report beside it; who names a
folder asks what to do first. Of 221 notes that were read as the owners of libraries would, 57 of
the 68 of API001 were worth a line of their own, and 38 of the other 153. Shown are errors and
warnings, what was measured, and what rules say that have to be asked for. Machines get all.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ...findings.finding import Severity
from ...source.records import dataclass
from ...source.words import percent, plural
from ..text.cells import printable_line
from .gain import LITTLE, saves_little

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...engine.result import RunResult
    from ...findings.finding import Finding


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The findings that are only counted."""

    more: Sequence[Finding]  # beyond the number that is shown
    little: Sequence[Finding]  # notes that would save next to nothing
    aside: Sequence[Finding]  # notes beside what is more urgent

    def __bool__(self) -> bool:
        return bool(self.more or self.little or self.aside)


def parted(result: RunResult, most: int, *, every: bool) -> tuple[list[Finding], LeftOut]:
    """What is shown, at most so many (0 for all), and what is only counted; `every` note is shown
    where that was asked for.
    """
    shown: list[Finding] = []
    little: list[Finding] = []
    aside: list[Finding] = []
    several = sum(item.status != "none" for item in result.inputs) > 1
    for finding in result.findings:
        if every or finding.severity is not Severity.NOTE:
            shown.append(finding)
        elif saves_little(finding):
            little.append(finding)
        else:
            (aside if several and _is_beside(finding) else shown).append(finding)
    return shown[: most or None], LeftOut(shown[most:] if most else (), little, aside)


def _is_beside(note: Finding) -> bool:
    """Whether nobody asked for this note, in so many words or by measuring."""
    return note.rule.default and not note.rule.notes_stand_out and note.measured is None


def left_out_lines(left_out: LeftOut) -> Iterator[str]:
    """How many findings of which rules are not shown, and how to see them."""
    if left_out.more:
        yield f"{plural(len(left_out.more), 'more finding')} not shown; --max-findings 0 shows all:"
        yield from _by_rule(left_out.more)
    if left_out.aside:
        yield f"{plural(len(left_out.aside), 'note')} only counted; --verbose shows all:"
        yield from _by_rule(left_out.aside)
    if left_out.little:
        yield f"{little_text(len(left_out.little))}; --verbose shows all:"
        yield from _by_rule(left_out.little)


def little_text(count: int) -> str:
    """`3 notes that would save less than 10 % not shown`."""
    return f"{plural(count, 'note')} that would save less than {percent(LITTLE)} not shown"


def _by_rule(findings: Sequence[Finding]) -> Iterator[str]:
    """`  12 GLB001 uncoalesced-access (up to 66 % of a kernel's time, at a.cu:12)` of each rule."""
    counts = Counter(finding.rule.code for finding in findings)
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
