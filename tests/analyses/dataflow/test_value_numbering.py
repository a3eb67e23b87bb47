"""Values that are computed alike share a name, however they came about."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.dataflow.value_numbering import alike
from warplint.analyzer.ir.operations import AccessKind

_DOUBLED = "v = v * v + n; " * 60  # names that hold names would be compared 2 ** 60 times


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("v = v + n;", "v = v + n;", True),
        ("v = v + n;", "v = v - n;", False),
        ("v = v + n;", "v = v + 1;", False),
        ("v = v + n;", "v = n + v;", True),
        ("v = v - n;", "v = n - v;", False),
        ("v = min(n, v * 3);", "v = min(3 * v, n);", True),
        ("v = v + v;", "v = v + n;", False),
        ("v = (short)v;", "v = (char)v;", False),
        ("v = p[v];", "v = p[v];", True),
        ("v = ((volatile int *)p)[v];", "v = ((volatile int *)p)[v];", False),
        ("v = atomicAdd(&p[v], 1);", "v = atomicAdd(&p[v], 1);", False),
        (_DOUBLED, _DOUBLED, True),
        (_DOUBLED, _DOUBLED + "v = v + 1;", False),
    ],
)
def test_what_is_computed_alike_from_the_same_loads(one: str, other: str, expected: bool) -> None:
    ways = "".join(f"{{ int v = p[threadIdx.x]; {way} q[0] = v; }}" for way in (one, other))
    facts = facts_of(f"__global__ void k(int *p, int *q, int n) {{ {ways} }}")
    first, second = (each for each in facts.accesses if each.kind is AccessKind.STORE)
    assert alike(first.operands[1], second.operands[1]) is expected
