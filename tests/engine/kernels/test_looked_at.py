"""How many made-up instances were looked at."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from warplint.analyzer.engine.kernels.looked_at import LookedAt
from warplint.analyzer.ir.kernel import Kernel
from warplint.analyzer.source.text import SourceText, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACE = Span(SourceText("k.cu", "k"), 0, 1)


def names(kernels: Iterator[Kernel]) -> list[str]:
    return [each.name for each in kernels]


def test_each_is_made_once_for_all_who_ask() -> None:
    made: list[str] = []

    def make() -> Iterator[Kernel]:
        for name in "abc":
            made.append(name)
            yield Kernel(name, PLACE, PLACE, "cuda")

    looked = LookedAt(make)
    assert (names(iter(looked.first(2))), looked.asked, made) == (["a", "b"], 0, ["a", "b"])
    assert (names(islice(looked(), 1)), looked.asked) == (["a"], 1)
    assert (names(looked()), looked.asked, made) == (["a", "b", "c"], 4, ["a", "b", "c"])
    assert names(looked()) == ["a", "b", "c"]
    assert names(iter(looked.first(9))) == ["a", "b", "c"]
    assert made == ["a", "b", "c"]
