"""Launches, whole and torn apart, and what is none."""

from __future__ import annotations

import pytest

from warplint.analyzer.cuda.names.launch_marks import begins_launch, shows_launch
from warplint.analyzer.source.tokens import tokenize


@pytest.mark.parametrize(
    ("text", "launches"),
    [
        ("k<<<1, 2>>>(p);", [1]),
        ("k << <1, 2 >> >(p);", [1]),
        ("k <<\n< 1, 2>>>(p);", [1]),
        ("a = b << c;", []),
        ("a = b < c;", []),
        ("std::cout << a << b;", []),
    ],
)
def test_where_launches_begin(text: str, launches: list[int]) -> None:
    tokens, _ = tokenize(text)
    texts = tokens.texts
    assert [at for at in range(len(texts)) if begins_launch(texts, at)] == launches
    assert shows_launch(text) is shows_launch(text.encode()) is bool(launches)
