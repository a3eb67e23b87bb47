"""What is of no kernel: findings of host code and of files, what was not analysed, and why; with
measurements the hot lines that no finding speaks of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.words import percent
from ..formats.gaps import gap_lines
from .drawing import bar
from .finding_card import finding_card
from .markup import Html, element, joined
from .tables import table

if TYPE_CHECKING:
    from ...engine.result import RunResult
    from ...findings.measurement import HotLine
    from .subjects import Subjects


def run_notes(result: RunResult, subjects: Subjects) -> Html:
    """Sections of the HTML page on what is of no kernel; nothing where there is nothing."""
    parts = []
    gaps = list(gap_lines(result.coverage))
    problems = [
        f"{problem.path}: {problem.message}; {problem.advice}" for problem in result.problems
    ]
    if gaps or problems:
        lines = joined(element("li", line) for line in (*problems, *gaps))
        title = element("h2", "Not judged, and why")
        parts.append(element("section", title, element("ul", lines), class_="notes"))
    if result.hot:
        title = element("h2", "Hot lines without a finding")
        lines = table(("time", "line", "source", ""), map(_hot, result.hot))
        parts.append(element("section", title, lines, class_="hot"))
    if subjects.others:
        cards = joined(map(finding_card, subjects.others))
        title = element("h2", "Host code and files")
        parts.append(element("section", title, cards, id="host"))
    return joined(parts)


def _hot(hot: HotLine) -> Html:
    cells = (
        element("td", bar(hot.share, "heat"), percent(hot.share)),
        element("th", f"{hot.path}:{hot.line} in {hot.kernel}", scope="row"),
        element("td", element("code", hot.source)),
        element("td", hot.text),
    )
    return element("tr", joined(cells))
