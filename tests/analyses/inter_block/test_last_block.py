"""The last block, which finds by a count that all others have counted."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, on_line

from warplint.analyzer.analyses.inter_block.last_block import (
    decided_by_count,
    is_count,
    is_of_others,
)

PARAMETERS = "int *data, unsigned *count, int *out, int n"


@pytest.mark.parametrize(
    ("body", "decided"),
    [
        ("if (atomicAdd(count, 1) == gridDim.x - 1) {\nout[0] = n; // late\n}", True),
        ("if (atomicInc(count, n) == 7) {\nout[0] = n; // late\n}", True),
        ("unsigned c = atomicAdd(count, 1); if (n > 3) {\nout[0] = n; // late\n}", False),
        (
            "__shared__ bool last; if (threadIdx.x == 0) last = atomicAdd(count, 1) == 7;\n"
            "__syncthreads(); if (last) {\nout[0] = n; // late\n}",
            True,  # kept for the block
        ),
        ("unsigned at = atomicAdd(count, 1); if (at < n) {\nout[at] = n; // late\n}", False),
    ],
)
def test_what_runs_as_the_count_decides(body: str, *, decided: bool) -> None:
    facts = body_facts(body, parameters=PARAMETERS)
    count = next(filter(is_count, facts.accesses))
    late = on_line(facts.kernel, "// late")[0]
    assert (late.block in decided_by_count(facts, count)) is decided


@pytest.mark.parametrize(
    ("operation", "counts"),
    [("atomicAdd(count, 1)", True), ("atomicDec(count, 9)", True), ("atomicMax(count, 1)", False)],
)
def test_counts(operation: str, *, counts: bool) -> None:
    facts = body_facts(f"out[0] = {operation};", parameters=PARAMETERS)
    assert any(map(is_count, facts.accesses)) is counts


@pytest.mark.parametrize(
    ("written", "read", "expected"),
    [
        ("data[blockIdx.x]", "data[n]", True),
        ("data[blockIdx.x]", "data[blockIdx.x]", False),  # its own
        ("data[n]", "data[n]", False),  # one place for all
        ("data[blockIdx.x + gridDim.x * blockIdx.y]", "data[blockIdx.x]", True),
    ],
)
def test_places_of_all_blocks(written: str, read: str, *, expected: bool) -> None:
    facts = body_facts(f"{written} = 1; out[0] = {read};", parameters=PARAMETERS)
    store, load, _ = facts.accesses
    assert is_of_others(store, load) is expected
