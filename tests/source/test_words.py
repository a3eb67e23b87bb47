"""Numbers agree with their nouns."""

from __future__ import annotations

import pytest

from warplint.analyzer.source.words import listed, plural


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (1, "kernel", "1 kernel"),
        (0, "kernel", "0 kernels"),
        (2, "memory access", "2 memory accesses"),
        (3, "entry", "3 entries"),
        (2, "way", "2 ways"),
        (4, "branch", "4 branches"),
        (12_288, "byte", "12,288 bytes"),
    ],
)
def test_a_number_agrees_with_its_noun(count: int, noun: str, text: str) -> None:
    assert plural(count, noun) == text


def test_names_are_listed() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(["a", "b", "c"], 3) == "a, b and c"
    assert listed(["a", "b", "c"], 1) == "a and 2 more"
