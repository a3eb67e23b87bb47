"""Code that runs where a count comes to a number."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, on_line

from warplint.analyzer.analyses.pointers.counted_blocks import (
    decided_by_count,
    is_count,
    run_at_one_count,
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
    ("body", "once"),
    [
        ("if (atomicAdd(count, 1) == gridDim.x - 1) {\nout[0] = n; // late\n}", True),
        ("if (atomicAdd(count, 1) != gridDim.x - 1) return;\nout[0] = n; // late", True),
        ("if (atomicAdd(count, 1) % gridDim.x == 7) {\nout[0] = n; // late\n}", True),
        ("if (atomicAdd(count, 1) < gridDim.x - 1) {\nout[0] = n; // late\n}", False),
        ("if (atomicAdd(count, 1) != gridDim.x - 1) {\nout[0] = n; // late\n}", False),
        ("if (data[atomicAdd(count, 1)] == 7) {\nout[0] = n; // late\n}", False),
        (
            "__shared__ bool last; if (threadIdx.x == 0) last = atomicAdd(count, 1) == 7;\n"
            "__syncthreads(); if (!last) return;\n"
            "for (int i = 0; i < n; ++i) {\nout[i] = n; // late\n}",
            True,
        ),
        (
            "__shared__ unsigned at; if (threadIdx.x == 0) at = atomicInc(count, 99);\n"
            "__syncthreads(); if (at == gridDim.x - 1 && n > 3) {\nout[0] = n; // late\n}",
            True,
        ),
        (
            "__shared__ unsigned at; if (threadIdx.x == 0) at = atomicAdd(count, 1);\n"
            "__syncthreads(); if (n == 3) {\nout[0] = at; // late\n}",
            False,  # something else decides
        ),
    ],
)
def test_what_runs_where_the_count_is_one_number(body: str, *, once: bool) -> None:
    facts = body_facts(body, parameters=PARAMETERS)
    late = on_line(facts.kernel, "// late")[0]
    assert (late.block in run_at_one_count(facts)) is once
