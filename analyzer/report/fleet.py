"""What was found in many repositories, as text, JSON and a page.

In: `Answer`s. Out: the same tables; gains and shares in per cent for people, as fractions in JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..source.words import percent, plural
from .formats.json_report import dump
from .html.markup import element, joined
from .html.page import headline, whole_page
from .html.tables import table, wide
from .text.cells import printable_line
from .text.palette import Palette, Role
from .text.table import render_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..fleet.questions import Answer
    from .html.markup import Html

_FRACTIONS = frozenset({"gain", "share", "mean gain"})
_COMMIT = 12  # characters of one that are shown
_WIDEST = 60  # of a cell of text


def fleet_lines(answers: Sequence[Answer], palette: Palette) -> Iterator[str]:
    """The report on a fleet as text: each answer under its title."""
    for number, answer in enumerate(answers):
        if number:
            yield ""
        yield palette.paint(answer.title, Role.STRONG)
        if not answer.rows:
            yield answer.nothing
            continue
        rows = [
            [_short(printable_line(cell)) for cell in _cells(answer, row)] for row in answer.rows
        ]
        yield from render_table(answer.columns, rows, palette)
        if answer.left:
            yield _left(answer)


def fleet_json(answers: Sequence[Answer]) -> str:
    """The report on a fleet as JSON; every row is a record."""
    return dump(
        {
            answer.title: [
                dict(zip(answer.columns, row, strict=True))  # type: ignore[arg-type]
                for row in answer.rows
            ]
            for answer in answers
        }
    )


def fleet_page(answers: Sequence[Answer], version: str) -> str:
    """The report on a fleet as one HTML document that loads and runs nothing."""
    sections = [_section(answer, number) for number, answer in enumerate(answers)]
    return whole_page(
        "warplint: fleet",
        headline("fleet report"),
        joined(sections),
        f"warplint {version}. Gains are predictions from the source.",
    )


def _section(answer: Answer, number: int) -> Html:
    title = element("h2", answer.title)
    anchor = f"answer-{number}" if number else "overview"
    if not answer.rows:
        return element("section", title, element("p", answer.nothing), id=anchor)
    rows = (
        element("tr", joined(element("td", cell) for cell in _cells(answer, row)))
        for row in answer.rows
    )
    shown = wide(table(answer.columns, rows, "plain"), answer.title)
    more = element("p", _left(answer)) if answer.left else ""
    return element("section", title, shown, more, id=anchor)


def _left(answer: Answer) -> str:
    return f"{plural(answer.left, 'more row')}; --most 0 shows all"


def _cells(answer: Answer, row: Sequence[object]) -> list[str]:
    return [_cell(column, value) for column, value in zip(answer.columns, row, strict=True)]


def _cell(column: str, value: object) -> str:
    if value is None:
        return ""
    if column in _FRACTIONS:
        return percent(float(str(value)))
    if column == "commit":
        return str(value)[:_COMMIT]
    return f"{value:,}" if isinstance(value, int) else str(value)


def _short(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."
