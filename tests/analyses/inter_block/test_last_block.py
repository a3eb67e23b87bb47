"""What runs as a count decides, and what the last block finds there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.inter_block.last_block import (
    decided_by_count,
    is_count,
    is_of_others,
)

if TYPE_CHECKING:
    from warplint.analyzer.analyses.facts import KernelFacts
    from warplint.analyzer.ir.operations import MemoryAccess

PARAMETERS = "int *data, int *out, unsigned *flag, int n"


def facts_of_body(body: str) -> KernelFacts:
    head = "__shared__ int last; __shared__ int other; int t = threadIdx.x, b = blockIdx.x;"
    return body_facts(f"{head} {body}", parameters=PARAMETERS)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("atomicAdd(flag, 1)", True),
        ("atomicSub(flag, 1)", True),
        ("atomicInc(flag, n)", True),
        ("atomicDec(flag, n)", True),
        ("atomicExch(flag, 1)", False),
        ("atomicCAS(flag, 0, 1)", False),
        ("atomicMax(flag, 1)", False),
        ("flag[0]++", False),  # not atomically
    ],
)
def test_what_counts(call: str, *, expected: bool) -> None:
    facts = facts_of_body(f"out[t] = {call};")
    assert any(map(is_count, facts.accesses)) is expected


def behind(body: str) -> list[str]:
    """The names of the accesses that the count decides about."""
    facts = facts_of_body(body)
    (count,) = filter(is_count, facts.accesses)
    blocks = decided_by_count(facts, count)
    return sorted(each.name for each in facts.accesses if each.block in blocks)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (atomicAdd(flag, 1) == n) out[0] = 1;", ["out[0]"]),
        ("int c = atomicAdd(flag, 1) + 1; if (c == n) out[0] = 1; out[1] = 2;", ["out[0]"]),
        ("if (atomicAdd(flag, 1) != n) return; out[0] = 1;", ["out[0]"]),
        ("if (t == 0) atomicAdd(flag, 1); if (t == n) out[0] = 1;", []),
        # Passed on to the block in shared memory.
        (
            "if (t == 0) last = atomicAdd(flag, 1) == n; __syncthreads(); if (last) out[0] = 1;",
            ["out[0]"],
        ),
        (
            "if (t == 0) last = atomicAdd(flag, 1) == n; __syncthreads(); if (other) out[0] = 1;",
            [],
        ),
        (
            "if (t == 0) { atomicAdd(flag, 1); last = n; } __syncthreads(); if (last) out[0] = 1;",
            [],  # something else is
        ),
        (
            "if (t == 0) data[0] = atomicAdd(flag, 1) == n; if (data[0]) out[0] = 1;",
            [],  # in global memory
        ),
        # A place for each thread that counts.
        ("int c = atomicAdd(flag, 1); if (c < n) out[c] = 1;", []),
    ],
)
def test_what_the_count_decides_about(body: str, expected: list[str]) -> None:
    assert behind(body) == expected


def two(data: str, reader: str) -> tuple[MemoryAccess, MemoryAccess]:
    facts = facts_of_body(f"data[{data}] = n; for (int i = 0; i < n; i++) out[i] = data[{reader}];")
    store = next(each for each in facts.accesses if each.name.startswith("data") and each.writes)
    load = next(each for each in facts.accesses if each.name.startswith("data") and each.reads)
    return store, load


@pytest.mark.parametrize(
    ("data", "reader", "expected"),
    [
        ("b", "i", True),
        ("b * 64 + t", "i * 64 + t", True),
        ("blockIdx.y", "i", True),
        ("blockIdx.y * n + b", "b + i * n", True),  # of all blocks along y
        ("b", "b + i", False),  # the block its own
        ("t", "i", False),  # one place for all blocks
        ("0", "0", False),
    ],
)
def test_places_of_other_blocks(data: str, reader: str, *, expected: bool) -> None:
    assert is_of_others(*two(data, reader)) is expected
