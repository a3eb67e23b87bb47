"""Whether guards hold all that an address is made of against sizes."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.block_execution.block_program import BlockProgram
from warplint.analyzer.analyses.block_shape.size_guards import SizeGuards

PARAMETERS = "int *p, int n, int h, int w"
HEAD = "int i = blockIdx.x * 64 + threadIdx.x, y = threadIdx.y;"


def guards(body: str) -> tuple[SizeGuards, list[bool]]:
    facts = body_facts(f"{HEAD} {body}", parameters=PARAMETERS)
    found = SizeGuards(BlockProgram(facts.launches[0]))
    return found, [found.hold(access) for access in facts.accesses]


@pytest.mark.parametrize(
    ("body", "held"),
    [
        ("if (i < n) p[i + n] = 1;", True),
        ("if (i <= n) p[n - i] = 1;", True),
        ("if (i < n / 2) p[i + n] = 1;", True),
        ("p[i + n] = 1;", False),  # no guard
        ("if (i < n) p[i * w + n] = 1;", False),  # a width that no guard names
        ("if (i < n) p[i + h] = 1;", False),
        ("if (i < n && y < h) p[y * n + i + h] = 1;", True),
        ("if (i < n) p[y + n] = 1;", False),  # y is not looked at
        ("if (y * w + i < n) p[y * w + i] = 1;", False),  # a size inside of an index
        ("if (i == n) p[i + n] = 1;", False),
        ("if (h < n) p[n + h] = 1;", False),  # sizes on both sides
        ("if (i < n) p[i] = 1;", False),  # made of no size at all
    ],
)
def test_addresses_of_indices_and_sizes(body: str, *, held: bool) -> None:
    assert guards(body)[1] == [held]


def test_accesses_that_the_same_guards_hold_are_of_one_kind() -> None:
    body = "if (i < n) { p[i + n] = 1; p[i + n + 7] = 2; } if (i < h) p[i + h] = 3;"
    facts = body_facts(f"{HEAD} {body}", parameters=PARAMETERS)
    found = SizeGuards(BlockProgram(facts.launches[0]))
    first, second, other = facts.accesses
    assert found.kind(first) == found.kind(second)
    assert found.kind(first) != found.kind(other)
    assert found.hold(first, second)
    assert not found.hold(first, other)
