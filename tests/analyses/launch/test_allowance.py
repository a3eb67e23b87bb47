"""Work is counted, and what is not left is not done."""

from __future__ import annotations

import math

import pytest

from warplint.analyzer.analyses.dataflow.fixpoint import solve
from warplint.analyzer.analyses.dataflow.reachability import postorder, reachable
from warplint.analyzer.analyses.launch.allowance import METER, OutOfWorkError, allowance


def after(number: int) -> list[int]:
    return [number + 1] if number < 1_000 else []


def walk() -> None:
    assert len(list(reachable([0], after))) == 1_001


def climb() -> None:
    known: set[int] = set()
    for each in postorder(0, after, known):
        known.add(each)


def test_nothing_is_limited_without_an_allowance() -> None:
    assert METER.left == math.inf
    assert len(list(reachable([0], after))) == 1_001
    assert METER.left == math.inf


def test_walks_and_solvers_are_counted() -> None:
    spent = []
    for work in (
        walk,
        climb,
        lambda: solve(range(100), lambda _: ()),
    ):
        with allowance(10_000):
            work()
            spent.append(10_000 - METER.left)
    assert min(spent) > 100
    assert max(spent) < 10_000


def test_the_next_question_is_not_answered() -> None:
    with allowance(50):
        assert len(list(reachable([0], after))) == 1_001  # one walk goes on to its end
        with pytest.raises(OutOfWorkError):
            list(reachable([0], after))
        with pytest.raises(OutOfWorkError):
            solve([1], lambda _: ())
    assert METER.left == math.inf


def test_an_allowance_inside_another_is_paid_by_both() -> None:
    with allowance(1_000):
        with allowance(100):
            METER.spend(30)
        assert METER.left == 970
