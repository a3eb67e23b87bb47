"""Loops over tiles that leave out what is no whole tile."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.array_bounds.cut_loops import cut_loops

SUM = "int s = 0; for (int m = 0; m < n / 16; ++m) s += p[m * 16 + threadIdx.x]; p[0] = s;"


@pytest.mark.parametrize(
    ("body", "size", "found"),
    [
        (SUM, "1000", [(16, 8)]),
        (SUM, "1024", []),
        (SUM, "n", [(16, None)]),
        (SUM.replace("n / 16", "(n >> 4)"), "1000", [(16, 8)]),
        (SUM.replace("m < n / 16", "m < (n + 15) / 16"), "1000", []),
        (SUM.replace("m * 16", "m"), "1000", []),  # a stride of one: the first elements are meant
        (f"{SUM} p[1] = n % 16;", "1000", []),
        (f"{SUM} for (int i = n / 16 * 16; i < n; ++i) p[i] = 0;", "1000", []),
        ("for (int i = 0; i < n / 2; ++i) p[2 * i] = p[i];", "1001", []),
    ],
)
def test_loops_that_leave_something_over(
    body: str, size: str, found: list[tuple[int, int | None]]
) -> None:
    text = f"__global__ void k(int *p, int n) {{ {body} }}\n"
    facts = facts_of(f"{text}void run(int *p, int n) {{ k<<<1, 16>>>(p, {size}); }}")
    assert [(each.tile, each.left) for each in cut_loops(facts)] == found


def test_nothing_is_known_of_a_kernel_that_nobody_launches() -> None:
    (found,) = cut_loops(facts_of(f"__global__ void k(int *p, int n) {{ {SUM} }}"))
    assert (found.launch, found.left) == (None, None)
