"""Elements that no thread of a launch comes to."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.array_bounds.skipped_elements import skipped_elements

INDEX = "int i = blockIdx.x * 256 + threadIdx.x;"
SQUARES = "n"  # of squares, 2^40 factors
for _ in range(40):
    SQUARES = f"s({SQUARES})"


@pytest.mark.parametrize(
    ("body", "launch", "found"),
    [
        (f"{INDEX} if (i < n) p[i] = i;", "n / 256, 128", [(0, 128, 256)]),
        (f"{INDEX} if (i >= n) return; p[i] = i;", "n / 256, 64", [(0, 64, 256)]),
        (f"{INDEX} if (i < n) p[i] = i;", "n / 256, 256", []),
        (f"{INDEX} if (i < n) p[i] = i;", "n / 256, 512", []),
        (f"{INDEX} if (i < n) p[i] = i;", "n / 256, n", []),  # who knows
        (f"{INDEX} if (threadIdx.x < n) p[i] = i;", "n, 128", []),  # a place in a row
        (f"{INDEX} if (i < n) p[i] = p[i + 128];", "n / 256, 128", []),  # comes further
        (f"{INDEX} for (; i < n; i += 128) p[i] = i;", "n / 256, 128", []),
        (f"{INDEX} if (i < n) p[0] = i;", "n / 256, 128", []),  # what it is for is not seen
        (f"{INDEX} if (i < n) p[i * i] = i;", "n / 256, 128", []),  # the element of no index
        (f"{INDEX} if (i < n) p[i + {SQUARES}] = i;", "n / 256, 128", [(0, 128, 256)]),
        (
            "int i = 2 * (blockIdx.x * 128 + threadIdx.x); if (i < n) p[i] = i;",
            "n / 256, 64",
            [(0, 64, 128)],
        ),
    ],
)
def test_blocks_smaller_than_the_kernel_counts(
    body: str, launch: str, found: list[tuple[int, int, int]]
) -> None:
    square = "__device__ int s(int x) { return x * x; }"
    text = f"{square} __global__ void k(int *p, int n) {{ {body} }}\n"
    facts = facts_of(f"{text}void run(int *p, int n) {{ k<<<{launch}>>>(p, n); }}")
    assert [(e.axis, e.threads, e.pitch) for e in skipped_elements(facts)] == found
