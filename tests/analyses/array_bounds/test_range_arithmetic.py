"""Arithmetic on ranges holds what arithmetic on each of their numbers gives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.array_bounds.range_arithmetic import (
    Range,
    both,
    either,
    exactly,
    fits,
    fitted,
    of_two,
    ranging,
)
from warplint.analyzer.ir.arithmetic import BINARY, evaluate
from warplint.analyzer.ir.operations import COMPARISONS, Opcode
from warplint.analyzer.ir.types import INT8, INT32, UINT8

RANGES = st.builds(
    lambda low, count, step: Range(low, low + count * step, step) if count else exactly(low),
    st.integers(-40, 40),
    st.integers(0, 6),
    st.integers(1, 9),
)
OPCODES = st.sampled_from(sorted(BINARY - COMPARISONS, key=lambda opcode: opcode.value))


def every(numbers: Range) -> range:
    return range(numbers.low, numbers.high + 1, numbers.step or 1)


def is_in(number: int, numbers: Range) -> bool:
    return numbers.low <= number <= numbers.high and number in every(numbers)


@given(OPCODES, RANGES, RANGES)
def test_operations_of_two(opcode: Opcode, first: Range, second: Range) -> None:
    made = of_two(opcode, INT32, first, second)
    found = None if made is None else fitted(made, INT32)
    for one in every(first) if found is not None else ():
        for other in every(second):
            result = evaluate(opcode, INT32, (one, other))
            assert found is not None
            assert result is None or is_in(result, found)


@given(RANGES, RANGES)
def test_two_ranges_together(first: Range, second: Range) -> None:
    joined = either(first, second)
    assert joined is not None
    assert all(is_in(each, joined) for each in (*every(first), *every(second)))
    assert joined.holds(first)
    assert joined.holds(second)
    common = both(first, second)
    inside = [each for each in every(first) if second.low <= each <= second.high]
    assert inside == ([] if common is None else list(every(common)))


@given(RANGES, RANGES)
def test_a_range_that_holds_another_has_all_its_numbers(first: Range, second: Range) -> None:
    assert first.holds(second) == (set(every(second)) <= set(every(first)))


def test_what_may_wrap_around_is_anything() -> None:
    assert fitted(Range(0, 300), UINT8) == fitted(None, UINT8) == Range(0, 255)
    assert fitted(Range(-3, 3), INT8) == Range(-3, 3)
    assert not fits(Range(-3, 3), UINT8)


def test_the_last_number_belongs_to_it() -> None:
    assert ranging(1, 10, 4) == Range(1, 9, 4)
    assert ranging(3, 3) == Range(3, 3, 0)
    assert ranging(3, 2) is None


def test_squares_of_squares_are_not_followed() -> None:
    """Their digits double each time: fifty products of a number with itself took for ever."""
    found: Range | None = ranging(3, 66)
    for _ in range(50):
        found = of_two(Opcode.MUL, INT32, found, found)
    assert found is None
