"""Texts that name lines, after lines were added above."""

from __future__ import annotations

import pytest

from warplint.analyzer.engine.kernels.moved_lines import Extent, MovedLines, UnclearError

BEFORE = (Extent("k.cu", 10, 20), Extent("k.cu", 30, 30), Extent("k.cu", 1, 1))
NOW = (Extent("k.cu", 13, 23), Extent("k.cu", 33, 33), Extent("k.cu", 1, 1))


def moved(text: str) -> str:
    result = MovedLines(BEFORE, NOW).texts([{"text": text}, 12, ("line 12",)])
    assert result[1:] == [12, ("line 12",)]  # numbers and places are no texts
    return str(result[0]["text"])


@pytest.mark.parametrize(
    ("text", "now"),
    [
        ("launch at line 30", "launch at line 33"),
        ("on lines 10, 12 and 20", "on lines 13, 15 and 23"),
        ("line 1: 12 of 30 threads", "line 1: 12 of 30 threads"),
        ("the line 10", "the line 13"),
        ("on line 25", "on line 25"),  # of nothing that is known
        ("deadline 12", "deadline 12"),
        ("```text\nline 15: load, byte 15\n```", "```text\nline 18: load, byte 15\n```"),
        ("other.cuh:25", "other.cuh:25"),
        ("k.cu:12, kk.cu:25", "k.cu:15, kk.cu:25"),
    ],
)
def test_lines_are_renamed(text: str, now: str) -> None:
    assert moved(text) == now


def test_a_line_of_another_file_is_not_told_apart() -> None:
    with pytest.raises(UnclearError):
        moved("other.cuh:12")


def test_a_line_that_two_have_is_not_told_apart() -> None:
    before = (Extent("k.cu", 1, 9), Extent("k.cu", 5, 5))
    lines = MovedLines(before, (Extent("k.cu", 2, 10), Extent("k.cu", 5, 5)))
    assert lines.texts("line 4") == "line 5"
    with pytest.raises(UnclearError):
        lines.texts("line 5")


def test_places_in_another_file_are_named_with_it() -> None:
    before = (Extent("k.cuh", 10, 20), Extent("a/x.cu", 3, 3))
    lines = MovedLines(before, (Extent("k.cuh", 10, 20), Extent("b/y.cu", 5, 5)))
    assert lines.texts("line 12, launched at a/x.cu:3") == "line 12, launched at b/y.cu:5"


@pytest.mark.parametrize("text", ["all of x.cu", "a/x.cu:4", "c/x.cu:3"])
def test_what_else_is_said_of_another_file_is_not_told(text: str) -> None:
    before = (Extent("k.cuh", 10, 20), Extent("a/x.cu", 3, 3))
    lines = MovedLines(before, (Extent("k.cuh", 10, 20), Extent("b/y.cu", 5, 5)))
    with pytest.raises(UnclearError):
        lines.texts(text)
