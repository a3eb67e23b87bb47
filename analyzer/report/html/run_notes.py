"""What is of no kernel: findings of host code and of files, what was not analysed, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..formats.gaps import gap_lines
from .finding_card import finding_card
from .markup import Html, element, joined

if TYPE_CHECKING:
    from ...engine.result import RunResult
    from .subjects import Subjects


def run_notes(result: RunResult, subjects: Subjects) -> Html:
    """Both as sections; nothing where there is nothing."""
    parts = []
    gaps = list(gap_lines(result.coverage))
    problems = [
        f"{problem.path}: {problem.message}; {problem.advice}" for problem in result.problems
    ]
    if gaps or problems:
        lines = joined(element("li", line) for line in (*problems, *gaps))
        title = element("h2", "Not judged, and why")
        parts.append(element("section", title, element("ul", lines), class_="notes"))
    if subjects.others:
        cards = joined(map(finding_card, subjects.others))
        title = element("h2", "Host code and files")
        parts.append(element("section", title, cards, id="host"))
    return joined(parts)
