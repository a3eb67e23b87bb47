"""Comparisons that any data may decide, and those that it may not."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.barriers.free_comparisons import free_comparisons
from warplint.analyzer.ir.operations import Barrier, MemoryAccess

PARAMETERS = "const float *f, const float *g, const int *a, float r, int n"


def compared(condition: str, before: str = "") -> list[int] | None:
    """Of how many loads each comparison is made."""
    body = f"int t = threadIdx.x; {before} if ({condition}) {{ __syncthreads(); }}"
    facts = body_facts(body, parameters=PARAMETERS)
    barrier = facts.every(Barrier)[-1]
    *_, edge = facts.flow.control_edges[barrier.block]

    def is_data(load: MemoryAccess) -> bool:
        return load.element.bits == 32

    found = free_comparisons(edge.branch.terminator.operands[0], is_data)
    return None if found is None else sorted(map(len, found.values()))


@pytest.mark.parametrize(
    ("condition", "loads"),
    [
        ("f[t] > r", [1]),
        ("f[t] > g[t]", [2]),
        ("sqrtf(f[t] * f[t] + g[t] * g[t]) <= r + 1", [4]),
        ("f[t] > 0.0f && f[t] < r", [1, 1]),
        ("f[t] < 0.0f || f[t] > r", [1, 1]),
        ("x > r", [1]),
        ("a[t] > 3 && t < n", []),  # whole numbers are evaluated
        ("f[t] > 0.0f && (g[t] < r || a[t] == 1)", [1, 1]),
    ],
)
def test_what_data_may_decide(condition: str, loads: list[int]) -> None:
    assert compared(condition, "float x = t < n ? f[t] : 0.0f;") == loads


@pytest.mark.parametrize(
    ("condition", "before"),
    [
        ("f[t] == r", ""),  # few numbers are
        ("r > 1.0f", ""),  # no data
        ("f[t] < f[t] * f[t] + 1", ""),  # on both sides
        ("f[t] < 0.0f || (f[t] > 1.0f && f[t] < r)", ""),  # perhaps not all together
        ("fmaxf(f[t], r) < r", ""),
        ("x > r", "float x = 0; if (t < n) x = f[t] > 0.0f ? f[t] : -f[t];"),  # two choices
        ("s > r", "float s = 0; for (int i = 0; i < n; i++) s += f[t + i];"),
        ("__shfl_sync(~0u, f[t], 0) > r", ""),
    ],
)
def test_what_more_than_data_decides(condition: str, before: str) -> None:
    assert compared(condition, before) is None
