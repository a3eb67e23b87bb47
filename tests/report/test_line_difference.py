"""Differences between two texts: right for any two, small where the texts are alike, never slow."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.report.text.line_difference import LineMatcher

LINES = st.lists(st.sampled_from("abcdefgh"), max_size=14)


def rebuilt(before: list[str], after: list[str]) -> list[str]:
    """The second text, from the first and the script."""
    found: list[str] = []
    expected = 0
    for tag, i1, i2, j1, j2 in LineMatcher(before, after).get_opcodes():
        assert i1 == expected
        assert (tag == "equal") is (before[i1:i2] == after[j1:j2])
        found += before[i1:i2] if tag == "equal" else after[j1:j2]
        expected = i2
    assert expected == len(before)
    return found


@given(LINES, LINES)
def test_the_script_makes_one_of_the_other(before: list[str], after: list[str]) -> None:
    assert rebuilt(before, after) == after


@given(LINES, st.data())
def test_a_changed_line_is_a_changed_line(before: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(before)))
    after = [*before[:at], "new", *before[at + 1 :]]
    changed = [each for each in LineMatcher(before, after).get_opcodes() if each[0] != "equal"]
    assert [each[1:] for each in changed] == [(at, min(at + 1, len(before)), at, at + 1)]


def test_it_agrees_with_difflib() -> None:
    before = ["one", "two", "three", "four", "five", "six", "seven"]
    after = ["one", "2", "three", "four", "4.5", "five", "seven", "eight"]
    assert LineMatcher(before, after).get_opcodes() == (
        SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    )


@pytest.mark.parametrize(
    "middle",
    [
        ["\n"] * 200_000,
        [f"{7 * i * i % 120}\n" for i in range(200_000)],
        [f"{i % 2}\n" for i in range(200_000)],
    ],
)
def test_lines_that_are_repeated_take_no_longer(middle: list[str]) -> None:
    before, after = ["a", *middle, "b"], ["A", *middle, "B"]
    matcher = LineMatcher(before, after)
    last = len(before) - 1
    assert [each for each in matcher.get_opcodes() if each[0] != "equal"] == [
        ("replace", 0, 1, 0, 1),
        ("replace", last, last + 1, last, last + 1),
    ]


def test_texts_that_have_nothing_in_common_end() -> None:
    before = [f"{i % 97}" for i in range(20_000)]
    after = [f"{i * i % 89}" for i in range(20_000)]
    assert rebuilt(before, after) == after
