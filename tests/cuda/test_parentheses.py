"""Closing brackets, near and far, against the search for each of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.cuda.syntax import parentheses
from warplint.analyzer.cuda.syntax.parentheses import Parentheses

KINDS = ("LPAREN", "LPAREN", "_RPAR", "_RPAR", "BRACE", "_RBRACE", "_SEMI", "_FOR", "NAME")


@given(st.lists(st.sampled_from(KINDS), max_size=40))
def test_all_at_once_as_one_by_one(kinds: list[str]) -> None:
    kinds = ["NAME", *kinds, "NAME", "$END"]
    openings = [at for at, kind in enumerate(kinds) if kind == "LPAREN"]
    with pytest.MonkeyPatch.context() as patch:
        expected = [Parentheses(kinds).closing(at) for at in openings]
        patch.setattr(parentheses, "_NEAR", 0)
        assert [Parentheses(kinds).closing(at) for at in openings] == expected


def test_calls_without_an_end() -> None:
    kinds = ["NAME", "LPAREN", "NAME", "_SEMI"] * 20_000 + ["NAME", "$END"]
    found = Parentheses(kinds)
    assert {found.closing(at) for at in range(1, 80_000, 4)} == {len(kinds) - 2}
    nested = ["LPAREN", "BRACE"] * 20_000 + ["_RBRACE", "_RPAR"] * 20_000 + ["NAME", "$END"]
    found = Parentheses(nested)
    assert [found.closing(at) for at in (0, 2, 39_998)] == [79_999, 79_997, 40_001]
