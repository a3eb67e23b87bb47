"""What an evaluation may cost, and why a value is not known."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.launch.kernel_size import KERNEL_SIZE, work_of_kernel
from warplint.analyzer.analyses.warp_evaluation.outcomes import (
    STEPS,
    Budget,
    describe,
    kernel_budget,
)
from warplint.analyzer.ir.operations import Operation


@given(st.integers(0, KERNEL_SIZE), st.integers(0, 1000))
def test_a_budget_shrinks_with_the_kernel_and_is_never_nothing(size: int, more: int) -> None:
    small, large = kernel_budget(size, KERNEL_SIZE), kernel_budget(size + more, KERNEL_SIZE)
    assert 0 < large.left <= small.left
    assert small.left * STEPS <= work_of_kernel(KERNEL_SIZE)


def test_what_is_spent_is_gone() -> None:
    budget = Budget(10)
    budget.spend(9, 0)
    assert not budget.used_up
    budget.spend(1, 0)
    assert budget.used_up


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("p[0] = p[1];", "depends on loaded data"),
        ("p[0] = f(n);", "depends on a call that is not analysed"),
        ("p[0] = __shfl_xor_sync(~0u, n, 1);", "depends on a value from another lane"),
        ("p[0] = n * 3;", "depends on unknown values"),
    ],
)
def test_words_for_a_user(body: str, words: str) -> None:
    stored = body_facts(body).accesses[-1].operands[1]
    assert isinstance(stored, Operation)
    assert describe(stored) == words
