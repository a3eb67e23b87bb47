"""Guards that let one thread too many through."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, last_of

from warplint.analyzer.analyses.array_bounds.loose_guards import loose_guards
from warplint.analyzer.ir.operations import AccessKind

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x; "


def guards(body: str) -> int:
    facts = body_facts(INDEX + body)
    return len(loose_guards(facts.flow, last_of(facts, AccessKind.STORE)))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (i > n) return; p[i] = 0;", 1),
        ("if (n < i) return; p[i] = 0;", 1),
        ("if (i <= n) p[i] = 0;", 1),
        ("if (n >= i) p[i] = 0;", 1),
        ("if (!(i > n)) p[i] = 0;", 1),
        ("if (i > n || threadIdx.y > n) return; p[i] = 0;", 1),  # one branch
        ("if (i > n) return; if (threadIdx.y > n) return; p[i] = 0;", 2),
        ("for (; i <= n; i += 32) p[i] = 0;", 1),
        ("if (i >= n) return; p[i] = 0;", 0),
        ("if (i < n) p[i] = 0;", 0),
        ("if (i >= 1) p[i] = 0;", 0),  # no limit
        ("if (1 <= i && i < n) p[i] = 0;", 0),
        ("if (i > n) p[0] = 1; p[i] = 0;", 0),  # that guards something else
        ("if (i <= threadIdx.y) p[i] = 0;", 0),  # two indices
        ("if (n <= 5) p[i] = 0;", 0),
        ("if (i == n) return; p[i] = 0;", 0),
        ("p[i] = 0;", 0),
    ],
)
def test_guards(body: str, expected: int) -> None:
    assert guards(body) == expected
