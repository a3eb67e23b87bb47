"""Whether guards hold all that an address is made of against sizes."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.block_execution.block_program import BlockProgram
from warplint.analyzer.analyses.block_shape.size_guards import SizeGuards
from warplint.analyzer.analyses.dataflow.joined_conditions import joined_conditions

PARAMETERS = "int *p, int n, int h, int w"
HEAD = "int i = blockIdx.x * 64 + threadIdx.x, y = threadIdx.y;"


def guards(body: str) -> tuple[SizeGuards, list[bool]]:
    facts = body_facts(f"{HEAD} {body}", parameters=PARAMETERS)
    found = SizeGuards(BlockProgram(facts.launches[0]), (None, None, None))
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
    found = SizeGuards(BlockProgram(facts.launches[0]), (None, None, None))
    first, second, other = facts.accesses
    assert found.kind(first) == found.kind(second)
    assert found.kind(first) != found.kind(other)
    assert found.hold(first, second)
    assert not found.hold(first, other)


@pytest.mark.parametrize(
    ("guard", "let"),
    [
        ("i < n", True),
        ("i + 1 < n && i > 0", True),
        ("n > i", True),
        ("y < n", False),  # nobody says that the block is not larger than its data
        ("i >= n", False),
        ("i == n", False),
        ("i < n + y", False),
    ],
)
def test_guards_that_let_whole_blocks_through(guard: str, *, let: bool) -> None:
    facts = body_facts(f"{HEAD} if ({guard}) p[0] = 1;", parameters=PARAMETERS)
    found = SizeGuards(BlockProgram(facts.launches[0]), (None, None, None))
    parts = [
        part
        for edge in facts.flow.controlling_edges(facts.accesses[0].block)
        for part in joined_conditions(*(edge.condition or ()))
    ]
    assert any(found.let_whole_blocks(*part) for part in parts) is let


def test_the_only_block_of_a_grid_may_be_larger_than_its_data() -> None:
    facts = body_facts(f"{HEAD} if (i < n) p[0] = 1;", parameters=PARAMETERS)
    found = SizeGuards(BlockProgram(facts.launches[0]), (1, 1, 1))
    edge, *_ = facts.flow.controlling_edges(facts.accesses[0].block)
    assert edge.condition
    assert not found.let_whole_blocks(*edge.condition)
