"""Loops whose last rounds can be run without those before: which ones, how they count."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.block_execution.loop_ends import EvenLoop, even_loop
from warplint.analyzer.ir.operations import Opcode


def _even(loop: str, *, open_ended: bool = True) -> EvenLoop | None:
    facts = facts_of(
        "__global__ void k(float *a, int n, int from) { __shared__ float s[64]; "
        f"int t = threadIdx.x; {loop} }}",
        (64, 1, 1),
    )
    (each,) = facts.flow.loops
    return even_loop(facts.flow, each, facts.points_to, open_ended=open_ended)


@pytest.mark.parametrize(
    ("loop", "goes_on", "ahead"),
    [
        ("for (int i = 0; i < n; ++i) a[i] = 1;", Opcode.LT, False),
        ("for (int i = t; i <= n * 2; i += 64) a[i] = 1;", Opcode.LE, False),
        ("for (int i = n; i > from; --i) a[i] = 1;", Opcode.GT, False),
        ("int i = 0; do { a[i] = 1; i += 2; } while (i < n);", Opcode.LT, True),
        ("for (int i = 0; n > i; ++i) a[i] = 1;", Opcode.LT, False),
    ],
)
def test_loops_that_count_evenly(loop: str, goes_on: Opcode, ahead: bool) -> None:
    found = _even(loop)
    assert found is not None
    assert (found.goes_on, found.ahead) == (goes_on, ahead)


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 1; i < n; i *= 2) a[i] = 1;",
        "for (int i = 0; i < n; ++i) { a[i] = 1; __syncthreads(); }",
        "for (int i = 0; i < n; ++i) { if (a[i] > 2) break; a[i] = 1; }",
        "for (int i = 0; i < a[i]; ++i) a[i] = 1;",
        "for (int i = 0; i < n; ++i) s[i] = a[i];",
    ],
)
def test_other_loops(loop: str) -> None:
    assert _even(loop) is None


def test_rounds_with_a_known_end_stay_in_shared_arrays() -> None:
    assert _even("for (int i = 0; i < 64; ++i) s[i] = a[i];", open_ended=False) is not None
