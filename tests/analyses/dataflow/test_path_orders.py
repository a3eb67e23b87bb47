"""What comparisons on one path leave open, beside a search through numbers."""

from __future__ import annotations

from itertools import product

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.dataflow.path_orders import PathOrders
from warplint.analyzer.ir.arithmetic import evaluate
from warplint.analyzer.ir.operations import Compare

COMPARED = ("<", "<=", ">", ">=", "==", "!=")


def comparisons(text: str, parameters: str) -> list[Compare]:
    facts = body_facts(f"{text};", parameters=f"int *p, {parameters}")
    return [each for each in facts.kernel.operations() if isinstance(each, Compare)]


@pytest.mark.parametrize(
    ("taken", "asked", "answer"),
    [
        ("n < m", "n >= m", False),
        ("n < m", "n < m + 1", True),
        ("n < m", "n + 1 < m", None),
        ("n <= m", "m < n", False),
        ("n != m", "n == m", False),
        ("2 * n < m", "m > n + n", True),
        ("n < m", "n < k", None),
        ("x < 0.0f", "x >= 0.0f", False),
        ("x <= 1.0f", "x < 1.0f", None),
        ("x < y", "y > x", True),
    ],
)
def test_what_follows_from_one_comparison(taken: str, asked: str, answer: bool | None) -> None:
    first, second = comparisons(
        f"p[0] = {taken}; p[1] = {asked}", "int n, int m, int k, float x, float y"
    )
    orders = PathOrders()
    orders.assume(first, holds=True)
    assert orders.verdict(second) is answer
    assert not orders.leave_nothing


def test_what_is_left_over_between_three_comparisons() -> None:
    inside, below, there = comparisons(
        "p[0] = n < m + 1; p[1] = n < m; p[2] = n == m", "int n, int m"
    )
    orders = PathOrders()
    orders.assume(inside, holds=True)
    orders.assume(below, holds=False)
    assert orders.verdict(there) is True
    orders.assume(there, holds=False)
    assert orders.leave_nothing


@pytest.mark.parametrize("offset", [-1, 0, 1, 2])
def test_no_answer_contradicts_numbers(offset: int) -> None:
    texts = [f"n {word} m + {offset}" for word in COMPARED] + [f"n {word} m" for word in COMPARED]
    stores = "; ".join(f"p[{place}] = {text}" for place, text in enumerate(texts))
    found = comparisons(stores, "int n, int m")
    assert len(found) == len(texts)
    for taken, asked, holds in product(
        found[: len(COMPARED)], found[len(COMPARED) :], (True, False)
    ):
        orders = PathOrders()
        orders.assume(taken, holds=holds)
        seen = {
            _holds(asked, n, offset=0)
            for n in range(-4, 5)
            if _holds(taken, n, offset=offset) is holds
        }
        assert orders.verdict(asked) in (None, *(seen if len(seen) == 1 else ()))
        assert not orders.leave_nothing


def _holds(comparison: Compare, n: int, *, offset: int) -> bool:
    """Whether a comparison of n and m holds where m is 0."""
    return bool(evaluate(comparison.opcode, comparison.compared, [n, offset]))
