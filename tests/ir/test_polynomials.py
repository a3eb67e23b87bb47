"""Formulas of host code, multiplied out and compared."""

from __future__ import annotations

import pytest

from warplint.analyzer.ir.host_formulas import Formula, Operation, Variable, polynomial, ratio

N, M = Variable(0, "n"), Variable(1, "m")


def _times(left: Formula, right: Formula) -> Operation:
    return Operation("*", left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (_times(N, M), _times(M, N)),
        (_times(Operation("+", N, 1), 4), Operation("+", 4, _times(4, N))),
        (Operation("<<", N, 3), _times(8, N)),
        (Operation("-", Operation("+", N, M), M), N),
        (Operation("-", N, N), 0),
    ],
)
def test_equal_formulas_are_equal_when_multiplied_out(left: Formula, right: Formula) -> None:
    assert polynomial(left) == polynomial(right)


def test_quotients_are_factors() -> None:
    quotient = Operation("/", N, 256)
    assert polynomial(_times(quotient, 256)) != polynomial(N)
    assert ratio(_times(quotient, 256), quotient) == (256, 1)


@pytest.mark.parametrize(
    ("left", "right", "times"),
    [
        (_times(N, 4), N, (4, 1)),
        (_times(Operation("+", N, 1), 4), Operation("+", N, 1), (4, 1)),
        (_times(N, 4), Operation("+", N, 1), None),
        (_times(N, 4), _times(N, 8), (1, 2)),
        (_times(N, 6), _times(N, -4), (-3, 2)),
        (Operation("+", _times(N, 4), 3), Operation("+", N, 1), None),
        (2048, 256, (8, 1)),
        (0, N, None),
        (_times(N, M), N, None),
    ],
)
def test_how_many_times_one_formula_is_another(
    left: Formula, right: Formula, times: tuple[int, int] | None
) -> None:
    assert ratio(left, right) == times
