"""Source frames: the lines of a file a finding speaks of, with marks under them.

In: marks (a span, a label, primary or not). Out: lines of text in the form rustc has made known:
`^^^^` with its label under the primary place, `----` under the others, one frame per file, `...`
for lines left out. A span of several lines is marked on its first and its last line.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ...source.records import dataclass
from .cells import clip, lay_out, printable_line
from .palette import Palette, Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...source.text import SourceText, Span


@dataclass(frozen=True, slots=True)
class Mark:
    """A place to show and what to say under it."""

    span: Span
    label: str
    primary: bool = False


@dataclass(frozen=True, slots=True)
class Canvas:
    """How to draw: the width of a line of source, the colours, the colour of primary marks."""

    width: int
    palette: Palette
    accent: Role = Role.ERROR


@dataclass(frozen=True, slots=True)
class _Stroke:
    """One mark on one line, in cells."""

    start: int
    end: int
    label: str
    primary: bool


def draw(marks: Sequence[Mark], canvas: Canvas) -> list[str]:
    """The frames of all marks, that of the first mark's file first."""
    gutter = len(str(max(_last_line(mark.span) for mark in marks)))
    lines: list[str] = []
    for source, group in _by_source(marks).items():
        head = next((mark for mark in group if mark.primary), group[0]).span
        arrow = ":::" if lines else "-->"
        if lines:
            lines.append(_gutter("", gutter, canvas))
        place = f"{printable_line(source.path)}:{head.line}:{head.column}"
        lines.append(" " * gutter + f"{canvas.palette.paint(arrow, Role.FRAME)} {place}")
        lines.append(_gutter("", gutter, canvas))
        lines.extend(_frame(source, group, gutter, canvas))
    return lines


def _by_source(marks: Sequence[Mark]) -> dict[SourceText, list[Mark]]:
    groups: dict[SourceText, list[Mark]] = {}
    for mark in sorted(marks, key=lambda mark: not mark.primary):
        groups.setdefault(mark.span.source, []).append(mark)
    return groups


def _frame(source: SourceText, marks: Sequence[Mark], gutter: int, canvas: Canvas) -> Iterator[str]:
    strokes: dict[int, list[_Stroke]] = {}
    for mark in dict.fromkeys(marks):
        for number, stroke in _strokes(mark):
            strokes.setdefault(number, []).append(stroke)
    numbers = sorted(strokes)
    # One line between two marked ones costs no more than the `...` that would replace it.
    numbers = sorted({*numbers, *(a + 1 for a, b in pairwise(numbers) if b - a == 2)})
    previous = numbers[0]
    for number in numbers:
        if number - previous > 1:
            yield canvas.palette.paint("...", Role.FRAME)
        yield from _line(source.line(number), number, strokes.get(number, []), gutter, canvas)
        previous = number


def _line(
    text: str, number: int, strokes: Sequence[_Stroke], gutter: int, canvas: Canvas
) -> Iterator[str]:
    cells = lay_out(text)
    focus = min(strokes, key=lambda stroke: not stroke.primary, default=None)
    shown, shift = clip(cells, (focus.start, focus.end) if focus else (0, 0), canvas.width)
    yield f"{_gutter(str(number), gutter, canvas)} {shown}".rstrip()
    moved = [
        _Stroke(
            max(0, s.start - shift), min(max(1, s.end - shift), canvas.width), s.label, s.primary
        )
        for s in strokes
        if s.end > shift and s.start - shift < canvas.width
    ]
    for row in _rows(moved):
        for drawn in _row(row, canvas):
            yield f"{_gutter('', gutter, canvas)} {drawn}"


def _strokes(mark: Mark) -> Iterator[tuple[int, _Stroke]]:
    """The strokes of a mark by line: one, or two when it covers several lines."""
    span = mark.span
    first, last = span.line, _last_line(span)
    for number in dict.fromkeys((first, last)):
        text = span.source.line(number)
        cells = lay_out(text)
        blank = len(text) - len(text.lstrip())
        start = cells.cell(span.column if number == first else blank + 1)
        ends_here = number == span.end_line
        end = cells.cell(span.end_column) if ends_here else cells.width
        label = mark.label if number == last else ""
        yield number, _Stroke(start, max(end, start + 1), label, mark.primary)


def _last_line(span: Span) -> int:
    """The line of the last character; the end may be the start of the next line."""
    return span.end_line if span.end_column > 1 else max(span.line, span.end_line - 1)


def _rows(strokes: Iterable[_Stroke]) -> list[list[_Stroke]]:
    """Strokes that do not touch share a row; the primary ones come first."""
    rows: list[list[_Stroke]] = []
    for stroke in sorted(strokes, key=lambda s: (not s.primary, s.start)):
        for row in rows:
            if all(stroke.end < other.start or other.end < stroke.start for other in row):
                row.append(stroke)
                break
        else:
            rows.append([stroke])
    return [sorted(row, key=lambda s: s.start) for row in rows]


def _row(row: Sequence[_Stroke], canvas: Canvas) -> Iterator[str]:
    """The marks of one row: the last label beside its mark, the others hang below theirs."""
    marks = _Line()
    for stroke in row:
        text = ("^" if stroke.primary else "-") * (stroke.end - stroke.start)
        marks.put(stroke.start, text, _role(stroke, canvas))
    last = row[-1]
    if last.label:
        marks.put(last.end + 1, last.label, _role(last, canvas))
    yield marks.text(canvas.palette)
    hanging = [stroke for stroke in row[:-1] if stroke.label]
    if hanging:
        yield _hang(hanging, None, canvas)
    while hanging:
        yield _hang(hanging[:-1], hanging[-1], canvas)
        hanging.pop()


def _hang(bars: Sequence[_Stroke], labelled: _Stroke | None, canvas: Canvas) -> str:
    line = _Line()
    for stroke in bars:
        line.put(stroke.start, "|", _role(stroke, canvas))
    if labelled:
        line.put(labelled.start, labelled.label, _role(labelled, canvas))
    return line.text(canvas.palette)


class _Line:
    """A line written from left to right at given cells."""

    def __init__(self) -> None:
        self._pieces: list[tuple[int, str, Role]] = []

    def put(self, cell: int, text: str, role: Role) -> None:
        self._pieces.append((cell, text, role))

    def text(self, palette: Palette) -> str:
        written, at = "", 0
        for cell, text, role in self._pieces:
            written += " " * (cell - at) + palette.paint(text, role)
            at = max(cell, at) + len(text)
        return written


def _role(stroke: _Stroke, canvas: Canvas) -> Role:
    return canvas.accent if stroke.primary else Role.FRAME


def _gutter(number: str, width: int, canvas: Canvas) -> str:
    return canvas.palette.paint(f"{number:>{width}} |", Role.FRAME)
