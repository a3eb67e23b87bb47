from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.report.text.cells import CUT, clip, lay_out
from warplint.analyzer.report.text.frame import Canvas, Mark, draw
from warplint.analyzer.report.text.palette import Palette
from warplint.analyzer.source.text import SourceText, Span

CANVAS = Canvas(80, Palette())


def mark(source: SourceText, text: str, label: str = "", primary: bool = False) -> Mark:
    start = source.text.index(text)
    return Mark(Span(source, start, start + len(text)), label, primary)


def frame(*marks: Mark, canvas: Canvas = CANVAS) -> list[str]:
    return draw(marks, canvas)


def test_labels_of_one_line_hang_under_their_marks() -> None:
    source = SourceText("k.cu", "a[i] = b[j] + c[k];\n")
    assert frame(
        mark(source, "a[i]", "written"),
        mark(source, "b[j]", "read"),
        mark(source, "c[k]", "too", True),
    ) == [
        " --> k.cu:1:15",
        "  |",
        "1 | a[i] = b[j] + c[k];",
        "  | ----   ----   ^^^^ too",
        "  | |      |",
        "  | |      read",
        "  | written",
    ]


def test_marks_that_overlap_take_a_row_each() -> None:
    source = SourceText("k.cu", "f(a[i]);\n")
    assert frame(mark(source, "a[i]", "inner"), mark(source, "f(a[i])", "outer", True))[2:] == [
        "1 | f(a[i]);",
        "  | ^^^^^^^ outer",
        "  |   ---- inner",
    ]


def test_span_of_several_lines_is_marked_at_both_ends() -> None:
    source = SourceText("k.cu", "void k(int a,\n       int b,\n       int c)\n{\n}\n\n\nint x;\n")
    assert frame(mark(source, source.text[:40], "header", True), mark(source, "x", "later")) == [
        " --> k.cu:1:1",
        "  |",
        "1 | void k(int a,",
        "  | ^^^^^^^^^^^^^",
        "2 |        int b,",
        "3 |        int c)",
        "  |        ^^^^^ header",
        "...",
        "8 | int x;",
        "  |     - later",
    ]


def test_place_at_the_end_of_a_file_has_a_caret() -> None:
    source = SourceText("k.cu", "int x")
    assert frame(Mark(Span(source, 5, 5), "expected `;`", True))[-1] == "  |      ^ expected `;`"


def test_equal_marks_are_drawn_once() -> None:
    source = SourceText("k.cu", "int x;\n")
    lines = frame(
        mark(source, "x", "", True), mark(source, "int", "type"), mark(source, "int", "type")
    )
    assert lines[3:] == ["  | --- ^", "  | |", "  | type"]


def test_long_line_is_clipped_around_the_caret() -> None:
    source = SourceText("k.cu", "a" * 500 + " TARGET " + "b" * 500 + "\n")
    line, marks = frame(mark(source, "TARGET", "here", True), canvas=Canvas(60, Palette()))[2:4]
    assert len(line) <= 60 + len("1 | ")
    assert line.startswith(f"1 | {CUT}a")
    assert line.endswith(f"b{CUT}")
    start = marks.index("^")
    assert line[start : start + 6] == "TARGET"
    assert marks[start:] == "^^^^^^ here"


@pytest.mark.parametrize(
    "text", ["FAR " + "a" * 500 + " TARGET\n", "TARGET " + "a" * 500 + " FAR\n"]
)
def test_related_mark_that_is_cut_off_is_not_drawn_elsewhere(text: str) -> None:
    source = SourceText("k.cu", text)
    related = mark(source, "FAR", "far")
    lines = frame(mark(source, "TARGET", "here", True), related, canvas=Canvas(60, Palette()))
    assert [line.lstrip(" |") for line in lines[3:]] == ["^^^^^^ here"]
    assert max(map(len, lines)) <= 60 + len("1 | ") + len(" here")


def test_megabyte_on_a_line() -> None:
    source = SourceText("k.cu", "x" * 1_000_000)
    lines = frame(Mark(Span(source, 0, 1_000_000), "all of it", True))
    assert max(map(len, lines)) <= 80 + len("1 | ") + len(" all of it")


TEXT = st.text(st.characters(exclude_characters="\n\r", codec="utf-8"), max_size=60)


@given(TEXT)
def test_cells_cover_the_line(line: str) -> None:
    cells = lay_out(line)
    assert len(cells.starts) == len(line) + 1
    assert all(a <= b for a, b in pairwise(cells.starts))
    assert cells.text.isprintable() or any(ord(c) > 127 for c in cells.text)
    assert "\x1b" not in cells.text


@given(TEXT, st.integers(1, 80), st.data())
def test_caret_stands_under_its_character(line: str, width: int, data: st.DataObject) -> None:
    cells = lay_out(line)
    column = data.draw(st.integers(1, len(line) + 1))
    cell = cells.cell(column)
    shown, shift = clip(cells, (cell, cell + 1), width)
    at = cell - shift
    assert at >= 0
    if column <= len(line) and cells.starts[column] > cell:
        before = lay_out(shown)
        index = max(i for i, start in enumerate(before.starts[:-1]) if start <= at)
        assert shown[index:].startswith(cells.shown[column - 1][:1])


@given(TEXT, st.integers(20, 80))
def test_clipped_line_fits(line: str, width: int) -> None:
    shown, _ = clip(lay_out(line), (0, 1), width)
    assert lay_out(shown).width <= max(width, 22)


SOURCE = st.text(st.sampled_from("ab \t\n\r漢\u0301{"), min_size=1, max_size=80)


@given(SOURCE, st.data())
def test_any_marks_of_any_text_can_be_drawn(text: str, data: st.DataObject) -> None:
    source = SourceText("k.cu", text)
    offsets = st.integers(0, len(text))
    marks = []
    for number in range(data.draw(st.integers(1, 4))):
        start, end = sorted((data.draw(offsets), data.draw(offsets)))
        marks.append(
            Mark(Span(source, start, end), data.draw(st.sampled_from(["", "label"])), number == 0)
        )
    lines = draw(marks, Canvas(30, Palette()))
    assert lines[0].lstrip().startswith(f"--> k.cu:{marks[0].span.line}:{marks[0].span.column}")
    assert any("^" in line for line in lines)
