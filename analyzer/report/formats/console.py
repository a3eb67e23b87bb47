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

from ...findings.finding import Severity
from ..text.cells import printable, printable_line
from ..text.frame import Canvas, Mark, draw
from ..text.palette import Palette, Role
from ..text.words import assumption_text, doubt, doubt_names, doubt_text
from .summary import summary_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...engine.result import RunResult
    from ...findings.finding import Finding
    from ...findings.witness import ThreadFlow

_ROLES = {
    Severity.ERROR: Role.ERROR,
    Severity.WARNING: Role.WARNING,
    Severity.NOTE: Role.NOTE,
}


def render_full(
    result: RunResult, width: int, palette: Palette, *, show_suppressed: bool = False
) -> str:
    """Every finding with its frames, then the summary."""
    shown = [(finding, "") for finding in result.findings]
    shown += _suppressed(result) if show_suppressed else []
    blocks = ["\n".join(finding_lines(finding, mark, width, palette)) for finding, mark in shown]
    blocks.append("\n".join(summary_lines(result, palette)))
    return "\n\n".join(blocks) + "\n"


def render_concise(result: RunResult, palette: Palette, *, show_suppressed: bool = False) -> str:
    """A line per finding, `path:line:col: SYN001 message`, then the first line of the summary."""
    lines = []
    shown = [(finding, "") for finding in result.findings]
    for finding, mark in shown + (_suppressed(result) if show_suppressed else []):
        span = finding.span
        place = f"{printable_line(span.path)}:{span.line}:{span.column}:"
        code = palette.paint(finding.rule.code, _ROLES[finding.severity])
        text = _one_line(finding.text)
        names = doubt_names(finding)
        lines.append(f"{place} {code}{doubt(finding)} {text}{names}{printable_line(mark)}")
    lines.append(next(iter(summary_lines(result, palette))))
    return "\n".join(lines) + "\n"


def _suppressed(result: RunResult) -> list[tuple[Finding, str]]:
    """The suppressed findings, each with the words that mark it as such."""
    return [
        (finding, f" (suppressed: {item.reason})" if item.reason else " (suppressed)")
        for finding, item in result.suppressed
    ]


def finding_lines(finding: Finding, mark: str, width: int, palette: Palette) -> Iterator[str]:
    """One finding: head, frames, notes; `mark` follows its name."""
    role = _ROLES[finding.severity]
    head = palette.paint(f"{finding.severity.value}[{finding.rule.code}]", role)
    name = f"{finding.rule.name}{doubt(finding)}{printable_line(mark)}: {printable(finding.text)}"
    yield f"{head} {palette.paint(name, Role.STRONG)}"
    marks = [Mark(finding.span, printable(finding.label), primary=True)]
    marks += [Mark(place.span, printable(place.label)) for place in finding.related]
    # The frame's own columns: line number, ` | `, and one cell so that nothing touches the edge.
    gutter = len(str(max(mark.span.end_line for mark in marks)))
    yield from draw(marks, Canvas(max(20, width - gutter - 4), palette, role))
    notes = list(_notes(finding))
    if notes:
        yield " " * gutter + palette.paint(" |", Role.FRAME)
    for title, text in notes:
        yield from _note(title, text, gutter, palette)


def _notes(finding: Finding) -> Iterator[tuple[str, str]]:
    """The lines under the frame, in this order: evidence, assumptions, what to do, how to see."""
    for fact in finding.evidence:
        if fact.text is not None:
            yield "note", fact.text
    for flow in finding.flows:
        yield flow.name, "\n".join(_steps(finding, flow))
    for each in finding.doubts:
        yield "doubt", doubt_text(each)
    for assumption in finding.assumptions:
        yield "assumed", assumption_text(assumption)
    for fix in finding.fixes:
        yield "help", fix.title
    if finding.verify:
        yield "verify", finding.verify


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
