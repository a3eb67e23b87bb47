"""What is shown of one file beside its diagnostics: notes, and the actions that findings offer.

In: the notes of a run and its findings. Out: plain data with places in the encoding of the client,
for `answers.py`, which looks them up when the client asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..findings.finding import Applicability
from ..findings.rule import Subject

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..findings.finding import Finding
    from ..findings.notes import Note
    from .diagnostics import Writing

Plain = dict[str, Any]


def notes_of(notes: Iterable[Note], writing: Writing) -> dict[str, Plain]:
    """The notes that an editor shows, by path and kind, with their places."""
    found: dict[str, Plain] = {}
    for note in notes:
        row: Plain = {"range": writing.range(note.span), "text": note.text}
        if note.name:
            row["name"], row["space"] = note.name, note.space
        if note.other is not None:
            row["other"] = writing.location(note.other)
        kinds = found.setdefault(note.span.path, {})
        rows: list[Plain] = kinds.setdefault(note.kind.value, [])
        if row not in rows[-_ALIKE:]:
            rows.append(row)
    return found


_ALIKE = 8  # instances of one template say the same of a place


def offers_of(finding: Finding, number: int, writing: Writing, *, baseline: bool) -> Plain:
    """What an editor can offer at a finding (fixes, suppressions), at each of its places."""
    return {
        "id": number,
        "ranges": [
            writing.range(span)
            for span in (finding.span, *(each.span for each in finding.places))
            if span.path == finding.span.path
        ],
        "code": finding.rule.code,
        "name": finding.rule.name,
        "baseline": baseline,
        "suppressible": finding.rule.subject is not Subject.SUPPRESSIONS,
        "fixes": [
            {"title": fix.title, "safe": fix.applicability is Applicability.SAFE, "number": index}
            for index, fix in enumerate(finding.fixes)
            if fix.edits and fix.applicability is not Applicability.ADVICE
        ],
    }
