"""Arithmetic on packed vectors against that of single numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.block_execution.packed_arithmetic import (
    Known,
    bounds,
    is_within,
    packed_result,
)
from warplint.analyzer.analyses.block_execution.per_thread import MOST, PerThread
from warplint.analyzer.analyses.block_execution.thread_vectors import entries
from warplint.analyzer.ir.operations import COMPARISONS, Opcode

COUNT = 5
_PYTHON = {
    Opcode.ADD: int.__add__,
    Opcode.SUB: int.__sub__,
    Opcode.MUL: int.__mul__,
    Opcode.SHL: int.__lshift__,
    Opcode.SHR: int.__rshift__,
    Opcode.DIV: int.__floordiv__,
    Opcode.REM: int.__mod__,
    Opcode.AND: int.__and__,
    Opcode.OR: int.__or__,
    Opcode.XOR: int.__xor__,
    Opcode.EQ: int.__eq__,
    Opcode.NE: int.__ne__,
    Opcode.LT: int.__lt__,
    Opcode.LE: int.__le__,
    Opcode.GT: int.__gt__,
    Opcode.GE: int.__ge__,
}
numbers = st.integers(-40, 40) | st.integers(-(1 << 34), 1 << 34)
vectors = st.lists(numbers, min_size=COUNT, max_size=COUNT).map(lambda each: PerThread(tuple(each)))


@given(st.sampled_from(list(_PYTHON)), vectors, vectors | numbers, st.booleans())
def test_results(opcode: Opcode, first: Known, second: Known, swap: bool) -> None:
    if swap:
        first, second = second, first
    result = packed_result(opcode, first, second, COUNT)
    if result is None:
        return
    pairs = zip(entries(first, COUNT), entries(second, COUNT), strict=True)
    expected = [_PYTHON[opcode](a, b) for a, b in pairs]
    assert list(result.entries) == expected
    assert result.low <= min(expected) <= max(expected) <= result.high


@pytest.mark.parametrize(
    "opcode",
    [each for each in Opcode if each in {Opcode.ADD, Opcode.SUB, Opcode.MUL} | COMPARISONS],
)
def test_small_numbers_are_packed(opcode: Opcode) -> None:
    assert packed_result(opcode, PerThread((1, -2, 3)), 7, 3) is not None


@pytest.mark.parametrize(
    ("opcode", "second"),
    [(Opcode.MUL, PerThread((2, 3))), (Opcode.MUL, MOST), (Opcode.DIV, 3), (Opcode.MIN, 1)],
)
def test_what_is_left_to_single_numbers(opcode: Opcode, second: Known) -> None:
    assert packed_result(opcode, PerThread((1, 2)), second, 2) is None


def test_bounds() -> None:
    assert bounds(4) == (4, 4)
    vector = PerThread((1, 9))
    assert bounds(vector) == (1, 9)
    assert is_within(vector, 1, 9)
    assert not is_within(vector, 2, 9)
