"""Findings for people at a terminal, in the style of rustc and ruff.

    error[SYN001] divergent-barrier: `__syncthreads()` is not reached by every thread
      --> reduce.cu:12:9
       |
     9 |     if (threadIdx.x < 16) {
       |         ---------------- only some threads get here
    ...
    12 |         __syncthreads();
       |         ^^^^^^^^^^^^^^^^ waits for the others
       |
       = note: the other 240 threads never arrive
       = help: move the barrier out of the branch

In: a `RunResult`. Out: text; `full` with frames and a summary, `concise` with a line per finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...findings.finding import Applicability, Severity
from ...findings.ordering import to_begin_with
from ...source.records import dataclass
from ..text.cells import printable, printable_line
from ..text.frame import Canvas, Mark, draw
from ..text.palette import Palette, Role
from ..text.words import assumption_text, doubt, doubt_names, doubt_text
from .counted import LeftOut, left_out_lines, parted
from .fixable import Fixable
from .gain import gain_text, other_places
from .measured import hot_lines_text, measured_text
from .summary import summary_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...engine.result import RunResult
    from ...findings.finding import Finding, Fix
    from ...findings.witness import ThreadFlow


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of a run's result the console report shows."""

    most: int = 0  # findings in full; 0 for all
    suppressed: bool = False
    quiet: bool = False  # findings alone
    verbose: bool = False  # every place of every finding


EVERYTHING = Extent()
_START = 5  # findings that are named as the ones to begin with
_ROLES = {
    Severity.ERROR: Role.ERROR,
    Severity.WARNING: Role.WARNING,
    Severity.NOTE: Role.NOTE,
}


def render_full(
    result: RunResult, width: int, palette: Palette, extent: Extent = EVERYTHING
) -> str:
    """The findings with their frames, what was left out, where to start, then the summary."""
    page = Page(width, palette, Fixable(result.inputs), extent.verbose)
    shown, left_out = _parted(result, extent)
    blocks = ["\n".join(finding_lines(finding, mark, page)) for finding, mark in shown]
    if left_out:
        blocks.append("\n".join(left_out_lines(left_out)))
    if not extent.quiet:
        worth = [finding for finding, mark in shown if not mark]
        start = list(_start_here([*worth, *left_out.more], palette))
        blocks += ["\n".join(start)] if start else []
        hot = [printable_line(line) for line in hot_lines_text(result)]
        blocks += ["\n".join(hot)] if hot else []
        blocks.append("\n".join(summary_lines(result, palette)))
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _start_here(findings: Sequence[Finding], palette: Palette) -> Iterator[str]:
    """The findings to begin with, where there are more than one sees at a glance."""
    if len(findings) <= _START:
        return
    first = to_begin_with(findings, _START)
    if first:
        yield palette.paint("Start here:", Role.STRONG)
    for number, (finding, *others) in enumerate(first, start=1):
        where = printable_line(f"{finding.span.path}:{finding.span.line}")
        code = palette.paint(finding.rule.code, _ROLES[finding.severity])
        what = _one_line(finding.text)
        if finding.gain is not None:
            what = f"{printable_line(finding.kernel)}: {gain_text(finding.gain)}"
        more = f" (and {len(others):,} more in this file)" if others else ""
        yield f"  {number}. {where} {code} {what}{more}"


def render_concise(result: RunResult, palette: Palette, extent: Extent = EVERYTHING) -> str:
    """A line per finding, `path:line:col: error[SYN001] message`, then the summary's first line.

    `[*]` marks what `--fix` can mend.
    """
    lines = []
    fixable = Fixable(result.inputs)
    shown, left_out = _parted(result, extent)
    for finding, mark in shown:
        span = finding.span
        place = f"{printable_line(span.path)}:{span.line}:{span.column}:"
        name = f"{finding.severity.value}[{finding.rule.code}]"
        code = palette.paint(name, _ROLES[finding.severity])
        text = _one_line(finding.text)
        names = doubt_names(finding)
        star = " [*]" if fixable.how(finding) is Applicability.SAFE and not mark else ""
        lines.append(f"{place} {code}{doubt(finding)}{star} {text}{names}{printable_line(mark)}")
    lines += left_out_lines(left_out)
    if not extent.quiet:
        lines.append(next(iter(summary_lines(result, palette))))
    return "".join(f"{line}\n" for line in lines)


def _parted(result: RunResult, extent: Extent) -> tuple[list[tuple[Finding, str]], LeftOut]:
    """What is shown, with what is said of it, and the findings that are only counted."""
    worth, left_out = parted(result, extent.most, every=extent.verbose)
    shown = [(finding, "") for finding in worth]
    return shown + (_suppressed(result) if extent.suppressed else []), left_out


def _suppressed(result: RunResult) -> list[tuple[Finding, str]]:
    """The suppressed findings, each with the words that mark it as such."""
    return [
        (finding, f" (suppressed: {item.reason})" if item.reason else " (suppressed)")
        for finding, item in result.suppressed
    ]


@dataclass(frozen=True, slots=True)
class Page:
    """The terminal that a finding is drawn on, and how much of the finding is drawn."""

    width: int
    palette: Palette
    fixable: Fixable
    verbose: bool = False


def finding_lines(finding: Finding, mark: str, page: Page) -> Iterator[str]:
    """One finding: head, frames, notes; `mark` follows its name."""
    palette, width = page.palette, page.width
    role = _ROLES[finding.severity]
    head = palette.paint(f"{finding.severity.value}[{finding.rule.code}]", role)
    name = f"{finding.rule.name}{doubt(finding)}{printable_line(mark)}: {printable(finding.text)}"
    yield f"{head} {palette.paint(name, Role.STRONG)}"
    marks = [Mark(finding.span, printable(finding.label), primary=True)]
    marks += [Mark(place.span, printable(place.label)) for place in finding.related]
    # The frame's own columns: line number, ` | `, and one cell so that nothing touches the edge.
    gutter = len(str(max(mark.span.end_line for mark in marks)))
    yield from draw(marks, Canvas(max(20, width - gutter - 4), palette, role))
    notes = list(_notes(finding, page))
    if notes:
        yield " " * gutter + palette.paint(" |", Role.FRAME)
    for title, text in notes:
        yield from _note(title, text, gutter, palette)


def _notes(finding: Finding, page: Page) -> Iterator[tuple[str, str]]:
    """The lines under the frame, in this order: places, evidence, assumptions, what to do, how to
    see.
    """
    if finding.places:
        yield "note", other_places(finding, every=page.verbose)
    for fact in finding.evidence:
        if fact.text is not None:
            yield "note", fact.text
    for flow in finding.flows:
        yield flow.name, "\n".join(_steps(finding, flow))
    for each in finding.doubts:
        yield "doubt", doubt_text(each)
    if "<" in finding.kernel:
        yield "instance", printable(finding.kernel)
    for assumption in finding.assumptions:
        yield "assumed", assumption_text(assumption)
    for fix in finding.fixes:
        yield "help", fix.title + _command(fix, page.fixable)
    if finding.gain is not None:
        yield "gain", gain_text(finding.gain)
    if finding.measured is not None:
        yield "measured", measured_text(finding.measured)
    if finding.verify:
        yield "verify", finding.verify


def _command(fix: Fix, fixable: Fixable) -> str:
    """How the edits of a fix are made, where they can be."""
    if not fixable.can_make(fix):
        return ""
    safe = fix.applicability is Applicability.SAFE
    return f" [{'--fix' if safe else '--fix --unsafe-fixes'}]"


def _steps(finding: Finding, flow: ThreadFlow) -> Iterator[str]:
    """What a witness does, numbered; the path only where it is another file."""
    for number, step in enumerate(flow.steps, start=1):
        elsewhere = step.span.source is not finding.span.source
        where = f"{step.span.path}:{step.span.line}" if elsewhere else f"line {step.span.line}"
        mark = f"{number}. " if len(flow.steps) > 1 else ""
        yield f"{mark}{where}: {step.message}"


def _note(title: str, text: str, gutter: int, palette: Palette) -> Iterator[str]:
    """One note; further lines of its text stand under the first."""
    role = Role.HELP if title == "help" else Role.STRONG
    first, *rest = printable(text).split("\n")
    sign = palette.paint("=", Role.FRAME)
    yield f"{' ' * (gutter + 1)}{sign} {palette.paint(title + ':', role)} {first}"
    indent = " " * (gutter + len(title) + 5)
    yield from ((indent + line).rstrip() for line in rest)


def _one_line(text: str) -> str:
    return printable_line(" ".join(text.split()))
