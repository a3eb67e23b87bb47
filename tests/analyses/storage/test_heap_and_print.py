"""Memory from the heap of the device, and printing by every thread."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.storage.heap_and_print import allocations, prints_of_all

INDEX = "int i = threadIdx.x;"


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("int *m = (int *)malloc(n); p[i] = m[0]; free(m);", 1),
        ("if (i == 0) { int *m = (int *)malloc(n); p[i] = m[0]; free(m); }", 1),
        ("p[i] = n;", 0),
    ],
)
def test_allocations(body: str, count: int) -> None:
    assert len(list(allocations(body_facts(f"{INDEX} {body}")))) == count


PRINT = 'printf("%d", n);'


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (f"p[i] = 1; {PRINT}", 1),
        (f"if (i < n) {{ p[i] = 1; {PRINT} }}", 1),
        (f"p[i] = 1; if (i == 0) {PRINT}", 0),
        (f"p[i] = 1; if (p[i] > 3) {PRINT}", 0),
        (f"{PRINT}", 0),  # a kernel that prints for its living
        (f"__shared__ int s[64]; s[i] = 1; {PRINT}", 0),
        (f"p[i] = 1; for (int k = 0; k < n; k++) {PRINT}", 1),
        (f"atomicAdd(p, 1); {PRINT} {PRINT}", 2),
        (f"if (n < 8) p[i] = 1; else {PRINT}", 0),  # what should not happen
        (f"switch (n) {{ case 1: p[i] = 1; break; default: {PRINT} }}", 0),
        (f"for (int k = 0; k < n; k++) {{ if (k > 64) {{ {PRINT} continue; }} p[k] = i; }}", 0),
        (f"for (int k = 0; k < n; k++) {{ p[k] = i; {PRINT} }}", 1),
    ],
)
def test_prints_of_all_threads(body: str, count: int) -> None:
    assert len(list(prints_of_all(body_facts(f"{INDEX} {body}")))) == count
