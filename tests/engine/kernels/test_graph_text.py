"""Graphs written down: equal graphs, equal texts, and nothing that matters is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.engine.kernels.graph_text import GraphText
from warplint.analyzer.ir.types import Kind, Type
from warplint.analyzer.ir.values import Constant, SpecialRegister
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from warplint.analyzer.source.text import Span

KERNEL = """__global__ void k(float *out, int n)
{
    __shared__ float tile[64];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        tile[i % 64] = out[i] * 2.0f;
        if (i == 7 && i == 7)
            out[i] = tile[0];
    }
}
"""


def lines(*values: Any) -> list[str]:
    def place(span: Span) -> tuple[int, int]:
        return span.start, span.end

    text = GraphText(place)
    for value in values:
        text.add(value)
    return text.lines


def lines_of(source: str) -> list[str]:
    return lines(read_cuda(SourceText("k.cu", source)).kernels)


def test_a_kernel_read_twice_has_one_text() -> None:
    assert lines_of(KERNEL) == lines_of(KERNEL)
    assert len(lines_of(KERNEL)) > 50


@pytest.mark.parametrize(
    ("old", "new"),
    [("64", "32"), ("2.0f", "3.0f"), ("float", "double"), ("i < n", "i > n"), ("+=", "-="),
     ("tile", "tilt"), ("i == 7 && i == 7", "i == 7 && i == 8"), ("[0]", "[1]")],
)  # fmt: skip
def test_another_kernel_has_another_text(old: str, new: str) -> None:
    assert lines_of(KERNEL.replace(old, new)) != lines_of(KERNEL)


def test_values_count_by_what_they_are_wherever_they_were_made() -> None:
    one = Type(Kind.INTEGER, 32)
    assert lines([one, one]) == lines([one, Type(Kind.INTEGER, 32)])
    assert lines(one) != lines(Type(Kind.INTEGER, 64))


def test_objects_count_by_which_of_them_they_are() -> None:
    one, other = (Constant(Type(Kind.INTEGER, 32), 5) for _ in range(2))
    assert lines([one, one]) != lines([one, other])
    assert lines([one, other]) == lines([other, one])


def test_text_is_not_taken_for_numbers_or_names() -> None:
    assert lines("1") != lines(1)
    assert lines(1) != lines(1.0)
    assert lines("@1") != lines([Constant(Type(Kind.INTEGER, 32), 5)])
    assert lines(("a", "b")) != lines(("a,b",))


def test_long_chains_need_no_recursion() -> None:
    source = (
        "__global__ void k(int *o) { int x = o[0];\n" + "x = x * 3 + 1;\n" * 3_000 + "o[1]=x; }"
    )
    assert len(lines_of(source)) > 3_000


def test_what_may_hold_anything_is_refused() -> None:
    with pytest.raises(TypeError, match="Anything"):
        lines(_anything())


def _anything() -> Any:
    made = type("Anything", (), {})
    made.__module__ = SpecialRegister.__module__
    return made()
