"""Comparisons that hold, or do not, whatever the symbols stand for, against trying numbers."""

from __future__ import annotations

import pytest
from analyses.warp_evaluation.test_lane_values import EXACT, Numbers, at, lane_values, numbers
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.warp_evaluation.lane_ranges import Range, decide, range_of
from warplint.analyzer.analyses.warp_evaluation.lane_values import (
    Division,
    LaneValue,
    compute,
    constant,
)
from warplint.analyzer.ir.operations import Opcode
from warplint.analyzer.ir.types import INT32


@given(
    st.sampled_from([Opcode.LT, Opcode.LE, Opcode.GT, Opcode.GE, Opcode.EQ, Opcode.NE]),
    lane_values(),
    numbers,
    st.integers(1, 70),
)
def test_decided_comparisons_hold_for_every_number(
    opcode: Opcode, difference: LaneValue, given: Numbers, divisor: int
) -> None:
    quotient = compute(Opcode.REM, INT32, difference, constant(divisor))
    for value in (difference, quotient or difference):
        decided = decide(opcode, value, lambda name: (0, 50))
        if decided is not None:
            want = [EXACT[opcode](number, 0) for number in at(value, given)]
            assert list(decided.lanes) == want


@pytest.mark.parametrize(
    ("opcode", "start", "factor", "known", "outcome"),
    [
        (Opcode.LT, -5, 1, (0, 4), 1),
        (Opcode.LT, -5, 1, (0, 5), None),
        (Opcode.LT, 0, 1, (0, None), 0),
        (Opcode.LE, 0, -1, (0, None), 1),
        (Opcode.GT, 1, 1, (0, None), 1),
        (Opcode.GE, -4, 1, (0, None), None),
        (Opcode.GE, -4, 2, (2, 9), 1),
        (Opcode.EQ, 5, 1, (0, None), 0),
        (Opcode.EQ, 0, 1, (0, 0), 1),
        (Opcode.NE, -3, 1, (0, 2), 1),
        (Opcode.NE, -3, 1, (0, 3), None),
        (Opcode.LT, 0, 1, None, None),  # a symbol of which nothing is known
    ],
)
def test_bounds(
    opcode: Opcode, start: int, factor: int, known: Range | None, outcome: int | None
) -> None:
    value = LaneValue((start,) * 32, (("n", factor),))
    found = decide(opcode, value, lambda _: known)
    assert found == (None if outcome is None else constant(outcome))


def test_lanes_that_a_symbol_moves_by_different_distances() -> None:
    value = LaneValue((-40,) * 32, (("n", tuple(range(32))),))
    assert decide(Opcode.LT, value, lambda _: (0, 1)) == constant(1)
    assert decide(Opcode.LT, value, lambda _: (0, 2)) is None
    split = LaneValue(tuple(-1 if lane < 9 else 1 for lane in range(32)), (("n", 0),))
    found = decide(Opcode.LT, split, lambda _: (0, None))
    assert found is not None
    assert sum(found.lanes) == 9


@given(
    st.integers(0, 30),
    st.integers(0, 30),
    st.integers(1, 9),
    st.integers(-4, 4),
    st.integers(-9, 9),
)
def test_quotients_and_remainders(
    low: int, more: int, divisor: int, factor: int, start: int
) -> None:
    high = low + more
    quotient = Division(Opcode.DIV, frozenset({("n", factor)}), start, divisor)
    numbers = [(start + factor * n) // divisor for n in range(low, high + 1)]
    assert range_of(quotient, lambda _: (low, high)) == (min(numbers), max(numbers))
    assert range_of(quotient, lambda _: None) is None
    remainder = Division(Opcode.REM, frozenset({("n", factor)}), start, divisor)
    assert range_of(remainder, lambda _: None) == (0, divisor - 1)
