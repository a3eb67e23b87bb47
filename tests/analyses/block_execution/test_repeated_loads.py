"""Which loads find what another one has found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.block_execution.run_plan import RunPlan

if TYPE_CHECKING:
    from warplint.analyzer.ir.operations import MemoryAccess

PARAMETERS = "int *o, const int *a, int *b, const int *const *rows, const volatile int *v, int n"


def repeated(body: str) -> list[tuple[int, ...]]:
    """The numbers of loads, in order, that are told to find the same."""
    facts = body_facts(body, parameters=PARAMETERS)
    loads = [each for each in facts.accesses if each.reads]
    groups: dict[MemoryAccess, list[int]] = {}
    for load, first in RunPlan(facts).repeated_loads.items():
        groups.setdefault(first, []).append(loads.index(load))
    return [tuple(group) for group in groups.values() if len(group) > 1]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("o[0] = a[1]; o[1] = a[1];", [(0, 1)]),
        ("o[0] = a[n + 1]; o[1] = a[1 + n]; o[2] = a[n];", [(0, 1)]),
        ("for (int i = 0; i < n; i++) o[i] = a[0]; o[n] = a[0];", [(0, 1)]),
        ("for (int i = 0; i < n; i++) o[i] = a[i] + a[i];", []),  # another one in each iteration
        ("o[0] = a[a[2]]; o[1] = a[a[2]];", [(0, 2), (1, 3)]),
        ("o[0] = b[1]; b[1] = 5; o[1] = b[1];", []),  # written between them
        ("o[0] = v[1]; o[1] = v[1];", []),
        ("o[0] = a[1]; o[1] = a[2];", []),
        (
            "__shared__ int s; if (threadIdx.x == 3) s = n; __syncthreads(); o[0] = s; o[1] = s;",
            [(0, 1)],  # only written before
        ),
        ("__shared__ int s; for (int i = 0; i < n; i++) { o[i] = s + s; s = i; }", []),
        ("b[2] = n; o[0] = b[1]; o[1] = b[1];", []),  # another block may write
        ("int x = 0; if (n) x = 1; o[0] = a[x]; o[1] = a[x];", []),
    ],
)
def test_loads_of_one_place(body: str, expected: list[tuple[int, ...]]) -> None:
    assert repeated(body) == expected
