"""Texts that name lines, after lines were added above."""

from __future__ import annotations

import pytest

from warplint.analyzer.server.moved_lines import MovedLines, UnclearError

BEFORE = ((10, 20), (30, 30), (1, 1))
NOW = ((13, 23), (33, 33), (1, 1))


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
    ],
)
def test_lines_are_renamed(text: str, now: str) -> None:
    assert moved(text) == now


def test_a_line_of_another_file_is_not_told_apart() -> None:
    with pytest.raises(UnclearError):
        moved("other.cuh:12")


def test_a_line_that_two_have_is_not_told_apart() -> None:
    lines = MovedLines(((1, 9), (5, 5)), ((2, 10), (5, 5)))
    assert lines.texts("line 4") == "line 5"
    with pytest.raises(UnclearError):
        lines.texts("line 5")
