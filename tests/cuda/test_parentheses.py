"""Closing parentheses, all in one pass, against the search for each of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.cuda.syntax.parentheses import matching_parentheses

KINDS = ("LPAREN", "LPAREN", "_RPAR", "_RPAR", "BRACE", "_RBRACE", "_SEMI", "_FOR", "NAME")


def closing(kinds: list[str], index: int) -> int | None:
    """The `)` of the `(` at `index`, searched for."""
    depth = braces = 0
    for at in range(index, len(kinds)):
        kind = kinds[at]
        if kind == "LPAREN":
            depth += 1
        elif kind == "_RPAR":
            depth -= 1
            if not depth:
                return at
        elif kind == "BRACE":
            braces += 1
        elif kind == "_RBRACE":
            braces -= 1
            if braces < 0:
                return None
        elif kind == "_SEMI" and depth == 1 and not braces and kinds[index - 1] != "_FOR":
            return None
    return None


@given(st.lists(st.sampled_from(KINDS), max_size=40))
def test_all_at_once_as_one_by_one(kinds: list[str]) -> None:
    kinds = ["NAME", *kinds, "NAME", "$END"]
    openings = [at for at, kind in enumerate(kinds) if kind == "LPAREN"]
    found = matching_parentheses(kinds)
    assert [found.get(at) for at in openings] == [closing(kinds, at) for at in openings]
    assert found.keys() <= set(openings)


def test_calls_without_an_end() -> None:
    kinds = ["NAME", "LPAREN", "NAME", "_SEMI"] * 20_000 + ["NAME", "$END"]
    assert matching_parentheses(kinds) == {}
    nested = ["LPAREN", "BRACE"] * 20_000 + ["_RBRACE", "_RPAR"] * 20_000 + ["NAME", "$END"]
    found = matching_parentheses(nested)
    assert [found[at] for at in (0, 2, 39_998)] == [79_999, 79_997, 40_001]
