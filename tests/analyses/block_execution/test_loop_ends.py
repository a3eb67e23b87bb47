"""Loops whose last rounds can be run without those before: which ones, how they count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.block_execution.loop_ends import TAIL, EvenLoop, even_loop
from warplint.analyzer.analyses.block_execution.per_thread import PerThread
from warplint.analyzer.ir.operations import Opcode
from warplint.analyzer.ir.values import Constant

if TYPE_CHECKING:
    from warplint.analyzer.analyses.block_execution.thread_vectors import Vector
    from warplint.analyzer.ir.values import Value


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
        ("for (int i = 1; i < n; i *= 2) a[i] = 1;", Opcode.LT, False),
        ("for (int i = n / 2; i > 0; i >>= 1) a[i] = 1;", Opcode.GT, False),
        ("for (int i = 0; i < n; ++i) { a[i] = 1; __syncthreads(); }", Opcode.LT, False),
    ],
)
def test_loops_that_count_evenly(loop: str, goes_on: Opcode, ahead: bool) -> None:
    found = _even(loop)
    assert found is not None
    assert (found.goes_on, found.ahead) == (goes_on, ahead)


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 1; i < n; i *= from) a[i] = 1;",
        "for (int i = 0; i < n; ++i) { a[i] = __shfl_sync(~0u, a[i], 1); }",
        "for (int i = 0; i < n; ++i) { if (a[i] > 2) break; a[i] = 1; }",
        "for (int i = 0; i < a[i]; ++i) a[i] = 1;",
        "for (int i = 0; i < n; ++i) s[i] = a[i];",
    ],
)
def test_other_loops(loop: str) -> None:
    assert _even(loop) is None


def test_rounds_with_a_known_end_stay_in_shared_arrays() -> None:
    assert _even("for (int i = 0; i < 64; ++i) s[i] = a[i];", open_ended=False) is not None


def _left_out(loop: str, number: Vector, bound: Vector) -> tuple[int | None, Vector]:
    """How many iterations can be left out, and what the counter is then."""
    even = _even(loop)
    assert even is not None
    held = {even.counter: number, even.bound: bound}

    def of(value: Value) -> Vector:
        if isinstance(value, Constant) and isinstance(value.value, int):
            return value.value
        return held[value]

    skipped = even.skipped(of, (1 << 64) - 1, 64)
    return skipped, even.moved(even.counter, of, skipped or 0, 64)


@pytest.mark.parametrize("start", range(1, 40, 3))
@pytest.mark.parametrize("bound", [1, 2, 7, 64, 513])
def test_numbers_that_are_doubled(start: int, bound: int) -> None:
    number, rounds = start, []
    while number < bound:
        rounds.append(number)
        number *= 2
    skipped, counter = _left_out("for (int i = 1; i < n; i *= 2) a[i] = 1;", start, bound)
    assert skipped == max(0, len(rounds) - TAIL)
    assert counter == [*rounds, number][skipped]


def test_what_is_halved_from_different_numbers_is_not_known() -> None:
    loop = "for (int i = n; i > from; i >>= 1) a[i] = 1;"
    assert _left_out(loop, PerThread(tuple(range(64))), 0)[0] is None
    assert _left_out(loop, None, 0)[0] is None


@pytest.mark.parametrize(("count", "skipped"), [(64, 62), (3, 1), (2, 0), (1, 0)])
def test_the_last_iterations_stay(count: int, skipped: int) -> None:
    assert _left_out("for (int i = 0; i < n; ++i) a[i] = 1;", 0, count) == (skipped, skipped)
