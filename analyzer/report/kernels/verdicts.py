"""Every question that was asked about the conflicts of a line, for `warplint explain --verdict`.

In: verdicts. Out: text, a list of questions for each, or records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...findings.assumptions import assumed_block
from ..text.cells import printable
from ..text.palette import Palette, Role
from ..text.words import assumption_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...engine.verdicts import Verdict
    from ..formats.json_report import Record


def verdicts_text(found: Sequence[Verdict], palette: Palette) -> str:
    """The verdicts of `explain --verdict` as text, one after the other."""
    return "\n\n".join("\n".join(_lines(each, palette)) for each in found) + "\n"


def verdicts_record(found: Sequence[Verdict]) -> Record:
    """The verdicts of `explain --verdict` as plain data."""
    return {"verdicts": [_record(each) for each in found]}


def _lines(verdict: Verdict, palette: Palette) -> Iterator[str]:
    title = f"{verdict.subject} in {verdict.kernel}: {printable(verdict.text)}"
    yield palette.paint(title, Role.STRONG)
    yield f"  for {printable(assumption_text(assumed_block(verdict.launch)))}"
    width = max(len(each.doubt.name) for each in verdict.answers) if verdict.answers else 0
    for number, each in enumerate(verdict.answers, start=1):
        answer = palette.paint("yes", Role.WARNING) if each.holds else "no "
        yield f"  {number:>2}. {answer}  {each.doubt.name:<{width}}  {each.doubt.reason}"
    holding = [each.doubt.name for each in verdict.answers if each.holds]
    because = f" because of {', '.join(holding)}" if holding else ""
    yield f"  verdict: {palette.paint(verdict.outcome, Role.STRONG)}{because}"


def _record(verdict: Verdict) -> Record:
    return {
        "kernel": verdict.kernel,
        "subject": verdict.subject,
        "text": verdict.text,
        "verdict": verdict.outcome,
        "lines": [span.line for span in verdict.spans],
        "questions": [
            {
                "name": each.doubt.name,
                "reason": each.doubt.reason,
                "silences": each.doubt.is_benign,
                "answer": each.holds,
            }
            for each in verdict.answers
        ],
    }
