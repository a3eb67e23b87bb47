"""Which lines of a text are new: against a plain table, and in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.engine.git.line_changes import changed_lines, kept_lines

WORDS = st.lists(st.sampled_from("abcd"), max_size=9)


def longest(old: list[str], new: list[str]) -> int:
    """The length of a longest common subsequence, by the table of every textbook."""
    table = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, one in enumerate(old):
        for j, other in enumerate(new):
            best = max(table[i][j + 1], table[i + 1][j])
            table[i + 1][j + 1] = table[i][j] + 1 if one == other else best
    return table[-1][-1]


@given(WORDS, WORDS)
def test_what_is_kept_is_a_common_subsequence(old: list[str], new: list[str]) -> None:
    kept = kept_lines(old, new)
    assert all(new[there] == old[here] for there, here in kept.items())
    places = [kept[there] for there in sorted(kept)]
    assert places == sorted(set(places))


@given(st.lists(st.sampled_from("ab"), min_size=2, max_size=9), st.integers(0, 8))
def test_without_fixed_points_it_is_a_longest_one(some: list[str], turn: int) -> None:
    # Every line occurs twice at least, so that no line is a fixed point.
    old = [*some, *some]
    new = [*old[turn:], *old[:turn], *some]
    assert len(kept_lines(old, new)) == longest(old, new)


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("a b c", "a b c", set()),
        ("a b c", "x a b c", {1}),
        ("a b c", "a x c", {2}),
        ("a b c d", "a c d", {1, 2}),  # the neighbours of what is gone
        ("a b", "b", {1}),
        ("a b", "a", {1}),
        ("a", "", set()),
        ("", "a b", {1, 2}),
        ("{ a } { b }", "{ a } { x } { b }", {4, 5, 6}),
    ],
)
def test_changed_lines(old: str, new: str, changed: set[int]) -> None:
    found = changed_lines(old.split(), new.split())
    assert len(found) == len(changed)
    if old != "{ a } { b }":  # which of the equal braces is new is a matter of taste
        assert found == changed


def test_what_is_too_large_to_compare_is_new() -> None:
    old, new = ["a", "b"] * 20_000, ["b", "a", "a"] * 20_000
    kept = kept_lines(old, new)
    assert len(changed_lines(old, new)) >= len(new) - len(kept) > 0
    assert len(kept) <= 1  # all but what both begin or end with
