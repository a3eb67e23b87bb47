"""A finding's message in SARIF: its text with links to the places it speaks of.

In: a finding made of located parts. Out: the message, `[text](1)` where a part or a related place
stands elsewhere, and the related locations by these numbers (SARIF 2.1.0, 3.11.6). GitHub shows a
related location only when the message links to it, so those that no part names follow at the end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...source.words import plural
from ..text.words import doubt
from .gain import other_kernel
from .sarif_records import Location, Message

if TYPE_CHECKING:
    from ...findings.finding import Finding
    from ...source.text import Span
    from .sarif_places import Places

#: GitHub keeps so many locations of a result.
_MOST_LOCATIONS = 100


def message_and_related(finding: Finding, places: Places) -> tuple[Message, tuple[Location, ...]]:
    """The linked message and what it links to."""
    labels: dict[Span, str] = {}
    for related in finding.related:
        labels.setdefault(related.span, related.label)
    for place in finding.places:
        kernel = other_kernel(finding, place)
        labels.setdefault(
            place.span, f"{place.label} in {kernel}".strip() if kernel else place.label
        )
    for part in finding.message:
        if part.span is not None and part.span != finding.span:
            labels.setdefault(part.span, part.text.strip())
    kept = list(labels.items())[:_MOST_LOCATIONS]
    numbers = {span: number for number, (span, _) in enumerate(kept, start=1)}
    text, linked = _text(finding, numbers)
    text += doubt(finding)
    rest = [
        _link(labels[span] or "here", number)
        for span, number in numbers.items()
        if span not in linked
    ]
    if len(labels) > len(kept):
        rest.append(f"{plural(len(labels) - len(kept), 'more place')} not shown")
    if rest:
        text += f" (see {', '.join(rest)})"
    locations = tuple(
        Location(
            places.location(span),
            id=numbers[span],
            message=Message(label) if label else None,
        )
        for span, label in kept
    )
    return Message(text), locations


def _text(finding: Finding, numbers: dict[Span, int]) -> tuple[str, set[Span]]:
    text, linked = "", set()
    for part in finding.message:
        number = numbers.get(part.span) if part.span is not None else None
        words = part.text.strip()
        if number is None or not words or part.span is None:
            text += part.text
            continue
        before, after = part.text.split(words, 1)
        text += before + _link(words, number) + after
        linked.add(part.span)
    return text, linked


def _link(text: str, number: int) -> str:
    escaped = re.sub(r"([\[\]\\])", r"\\\1", text)
    return f"[{escaped}]({number})"
