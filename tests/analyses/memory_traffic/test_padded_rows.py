"""Where the text of a padding goes, and when it changes nothing else."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.memory_traffic.padded_rows import ExtentEdit, extent_edit
from warplint.analyzer.analyses.memory_traffic.padding import Padding
from warplint.analyzer.ir.memory import Space

STORE = "t[threadIdx.y][threadIdx.x] = p[0];"
LOAD = "p[1] = t[threadIdx.x][threadIdx.y];"


def edit(
    declaration: str,
    body: str = STORE + LOAD,
    before: str = "",
    head: str = "__global__",
    extra: int = 128,
) -> ExtentEdit | None:
    text = f"{before}\n{head} void k(float *p, int n) {{ {declaration} {body} }}\n"
    module = cuda_module(text)
    facts = KernelFacts(module.kernels[0], module, AnalysisOptions(90, (32, 32, 1)))
    (array,) = (item for item in facts.kernel.objects if item.space is Space.SHARED)
    padding = Padding(1, 33, 2, 1, extra, (32, 33), complete=True)
    return extent_edit(facts, array, facts.shared_accesses, padding)


@pytest.mark.parametrize(
    ("declaration", "extent", "text"),
    [
        ("__shared__ float t[32][32];", "32", "32 + 1"),
        ("__shared__ float t[32] [ 32 ];", " 32 ", "32 + 1"),
        ("const int W = 32; __shared__ float t[W][W];", "W", "W + 1"),
        ("const int W = 5; __shared__ float t[1 << W][1 << W];", "1 << W", "(1 << W) + 1"),
        ("const int W = 16; __shared__ float t[W * 2][W * 2];", "W * 2", "W * 2 + 1"),
    ],
)
def test_the_innermost_extent(declaration: str, extent: str, text: str) -> None:
    found = edit(declaration)
    assert found is not None
    assert found.span.text == extent
    assert found.span.source.text[found.span.end :].startswith("];")
    assert found.text == text
    assert found.proven


TILE = "__shared__ float t[32][32];"


@pytest.mark.parametrize(
    "body",
    [
        f"{STORE} p[1] = t[0][33];",  # reaches into the next row
        f"{STORE} p[1] = t[threadIdx.x][threadIdx.y + 1];",
        f"{STORE} p[1] = t[threadIdx.x][n];",
    ],
)
def test_subscripts_that_leave_a_row_are_not_proven_to_stay(body: str) -> None:
    found = edit(TILE, body)
    assert found is not None
    assert not found.proven


@pytest.mark.parametrize(
    "body",
    [
        f"{STORE} float *q = &t[1][0]; p[1] = q[3];",
        f"{STORE} float *q = t[1]; p[1] = q[3];",
        f"{STORE} p[1] = sizeof(t);",
        f"{STORE} p[1] = (*t)[3];",
    ],
)
def test_uses_that_may_count_on_the_layout(body: str) -> None:
    assert edit(TILE, body) is None


def test_what_stands_in_comments_and_strings_is_no_use() -> None:
    assert edit(TILE, f'/* sizeof(t) */ {STORE} // &t[0][0]\n printf("t %d", n);') is not None


def test_macros_that_name_the_array() -> None:
    assert edit(TILE, before="#define AT(i, j) t[i][j]") is None
    assert edit(TILE, before="#define AT(i, j) u[i][j]") is not None


def test_more_memory_than_every_gpu_allows() -> None:
    assert edit(TILE, extra=48 * 1024 - 4096) is not None
    assert edit(TILE, extra=48 * 1024 - 4095) is None


def test_a_template_is_not_proven() -> None:
    head = "template <int N> __global__"
    once = edit(TILE, head=head)
    assert once is not None
    assert not once.proven
