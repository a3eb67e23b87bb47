"""Loads whose value is still in a register."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, last_of

from warplint.analyzer.analyses.warp_evaluation.load_reuse import is_reused
from warplint.analyzer.ir.operations import AccessKind

HEAD = "__shared__ int s[256], r[256]; int t = threadIdx.x;"


def reused(body: str) -> bool:
    """Whether the last load of the body is."""
    facts = body_facts(f"{HEAD} {body}", parameters="int *p, int *q, int n")
    load = last_of(facts, AccessKind.LOAD)
    return is_reused(facts.launches[0], load)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p[0] = s[t]; p[1] = s[t];", True),  # p may be anything but shared memory
        ("int x = s[t]; p[1] = x + s[t];", True),
        ("s[t] = n; p[1] = s[t];", True),
        ("int x = s[t]; p[1] = x + s[t + 1];", False),
        ("int x = s[t]; __syncthreads(); p[1] = x + s[t];", False),
        ("int x = s[t]; f(n); p[1] = x + s[t];", False),
        ("int x = s[t]; __threadfence(); p[1] = x + s[t];", False),
        ("int x = s[t]; s[n] = 1; p[1] = x + s[t];", False),  # perhaps the same place
        ("int x = s[t]; r[t] = 1; p[1] = x + s[t];", True),  # another array
        ("int x = p[t]; q[t] = 1; s[t] = x + p[t];", False),  # perhaps the same array
        ("int x = s[t]; if (n) p[1] = x + s[t];", True),
        ("if (n) r[0] = s[t]; p[1] = s[t];", False),  # by one way only
        ("volatile int *v = s; int x = v[t]; p[1] = x + v[t];", False),
        ("short x = ((short *)s)[2 * t]; p[1] = x + s[t];", False),  # less of it
    ],
)
def test_the_second_load(body: str, *, expected: bool) -> None:
    assert reused(body) is expected


def test_only_loads_are_reused() -> None:
    facts = body_facts(f"{HEAD} s[t] = 1; s[t] = 2;")
    assert not any(is_reused(facts.launches[0], each) for each in facts.accesses)
