"""Lane values against brute force: 32 lanes, random numbers for the symbols, every operation.

What an operation on symbolic values yields must hold for every choice of numbers for the symbols,
within what the module takes for granted: symbols are not negative and nothing overflows.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.warp_evaluation.lane_values import (
    WARP,
    Coefficient,
    Division,
    LaneValue,
    Product,
    add,
    compute,
    constant,
    convert,
    distance,
    mix,
    multiply,
    subtract,
    symbol,
)
from warplint.analyzer.ir.operations import Opcode
from warplint.analyzer.ir.types import (
    FLOAT32,
    INT8,
    INT32,
    INT64,
    POINTER,
    PREDICATE,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    Type,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

SYMBOLS = ("n", "m", "k")
Numbers = dict[str, int]

small = st.integers(-64, 64)
patterns = st.one_of(
    small.map(lambda value: (value,) * WARP),
    st.tuples(small, st.integers(-8, 8)).map(lambda p: tuple(p[0] + p[1] * i for i in range(WARP))),
    st.integers(1, 31).map(lambda d: tuple(i % d for i in range(WARP))),
    st.integers(0, 31).map(lambda b: tuple(i ^ b for i in range(WARP))),
    st.lists(small, min_size=WARP, max_size=WARP).map(tuple),
)
factors = st.sampled_from([1, 2, 3, 4, 8, 16, 32, 64, 96, 128, -1, -4, -32])
coefficients: st.SearchStrategy[Coefficient] = st.one_of(
    factors, st.tuples(factors, patterns).map(lambda p: tuple(p[0] * i for i in p[1]))
)


def _tidied(coefficient: Coefficient) -> Coefficient:
    """As the module keeps them: one int when the lanes agree."""
    if isinstance(coefficient, tuple) and len(set(coefficient)) == 1:
        return coefficient[0]
    return coefficient


@st.composite
def lane_values(draw: st.DrawFn) -> LaneValue:
    terms = draw(st.dictionaries(st.sampled_from(SYMBOLS), coefficients, max_size=2))
    tidy = {name: _tidied(c) for name, c in terms.items()}
    return LaneValue(draw(patterns), tuple((n, c) for n, c in tidy.items() if c != 0))


numbers = st.fixed_dictionaries({name: st.integers(0, 50) for name in SYMBOLS})


def at(value: LaneValue, given: Numbers) -> list[int]:
    """The 32 numbers that a value stands for."""
    lanes = list(value.lanes)
    for name, coefficient in value.terms:
        each = (coefficient,) * WARP if isinstance(coefficient, int) else coefficient
        factors = name.factors if isinstance(name, Product) else (name,)
        number = prod(number_of(factor, given) for factor in factors)
        lanes = [lane + c * number for lane, c in zip(lanes, each, strict=True)]
    return lanes


def number_of(name: Hashable, given: Numbers) -> int:
    """The number that a symbol stands for."""
    if not isinstance(name, Division):
        return given[str(name)]
    total = name.constant + sum(c * number_of(inner, given) for inner, c in name.terms)
    return total // name.divisor if name.opcode is Opcode.DIV else total % name.divisor


def fits(values: list[int], type: Type) -> bool:
    """Whether nothing overflows."""
    bits = type.bits or 64
    low, high = (-(1 << bits - 1), 1 << bits - 1) if type.signed else (0, 1 << bits)
    return all(low <= value < high for value in values)


def truncated(a: int, b: int) -> int:
    """C's division."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


EXACT: dict[Opcode, Callable[[int, int], int]] = {
    Opcode.ADD: lambda a, b: a + b,
    Opcode.SUB: lambda a, b: a - b,
    Opcode.MUL: lambda a, b: a * b,
    Opcode.DIV: truncated,
    Opcode.REM: lambda a, b: a - b * truncated(a, b),
    Opcode.MIN: min,
    Opcode.MAX: max,
    Opcode.AND: lambda a, b: a & b,
    Opcode.OR: lambda a, b: a | b,
    Opcode.XOR: lambda a, b: a ^ b,
    Opcode.SHL: lambda a, b: a << b,
    Opcode.SHR: lambda a, b: a >> b,
    Opcode.EQ: lambda a, b: int(a == b),
    Opcode.NE: lambda a, b: int(a != b),
    Opcode.LT: lambda a, b: int(a < b),
    Opcode.LE: lambda a, b: int(a <= b),
    Opcode.GT: lambda a, b: int(a > b),
    Opcode.GE: lambda a, b: int(a >= b),
}


@given(lane_values(), lane_values(), numbers)
def test_sums_and_differences(a: LaneValue, b: LaneValue, given: Numbers) -> None:
    x, y = at(a, given), at(b, given)
    assert at(add(a, b), given) == [p + q for p, q in zip(x, y, strict=True)]
    assert at(subtract(a, b), given) == [p - q for p, q in zip(x, y, strict=True)]
    assert subtract(a, a) == constant(0)
    assert distance(a, b) == subtract(a, b).number
    moved = add(a, constant(x[0]))
    assert distance(moved, a) == subtract(moved, a).number == x[0]


@given(lane_values(), lane_values(), numbers)
def test_products(a: LaneValue, b: LaneValue, given: Numbers) -> None:
    product = multiply(a, b)
    if not (a.terms and b.terms):
        assert product is not None
    if product is not None:
        expected = [p * q for p, q in zip(at(a, given), at(b, given), strict=True)]
        assert at(product, given) == expected
        assert all(coefficient != 0 for _, coefficient in product.terms)


@given(patterns.map(LaneValue), lane_values(), lane_values(), numbers)
def test_mix(condition: LaneValue, a: LaneValue, b: LaneValue, given: Numbers) -> None:
    mixed = mix(condition, a, b)
    assert mixed is not None
    choices = zip(condition.lanes, at(a, given), at(b, given), strict=True)
    assert at(mixed, given) == [p if c else q for c, p, q in choices]


def test_mix_by_what_is_not_known() -> None:
    assert mix(symbol("n"), constant(1), constant(2)) is None
    assert mix(symbol("n"), constant(1), constant(1)) == constant(1)


shift_counts = st.integers(0, 40).map(constant)
divisors = st.sampled_from([1, 2, 3, 4, 7, 8, 16, 31, 32, 63, 64, -4, -32, -33, 0]).map(constant)


@settings(max_examples=500)
@given(
    st.sampled_from(list(EXACT)),
    st.sampled_from([INT32, UINT32, INT64, UINT64, POINTER]),
    lane_values(),
    st.one_of(lane_values(), divisors, shift_counts),
    numbers,
)
def test_every_operation(
    opcode: Opcode, type: Type, a: LaneValue, b: LaneValue, given: Numbers
) -> None:
    result = compute(opcode, type, a, b)
    if result is None:
        return
    x, y = at(a, given), at(b, given)
    assume(fits(x, type) and fits(y, type))
    if opcode in (Opcode.SHL, Opcode.SHR):
        assume(all(0 <= count < (type.bits or 64) for count in y))
    expected = [EXACT[opcode](p, q) for p, q in zip(x, y, strict=True)]
    assume(fits(expected, type))
    assert at(result, given) == expected


@given(st.sampled_from([INT32, UINT32, INT8, UINT8]), lane_values(), lane_values())
def test_numbers_wrap_at_the_width(type: Type, a: LaneValue, b: LaneValue) -> None:
    plain = LaneValue(a.lanes), LaneValue(b.lanes)
    total = compute(Opcode.ADD, type, *plain)
    assert total is not None
    assert total.is_number
    assert fits(list(total.lanes), type)
    modulus = 1 << (type.bits or 0)
    sums = zip(total.lanes, a.lanes, b.lanes, strict=True)
    assert all((s - p - q) % modulus == 0 for s, p, q in sums)


@given(patterns.map(LaneValue))
def test_division_by_zero_has_no_value(a: LaneValue) -> None:
    assert compute(Opcode.DIV, INT32, a, constant(0)) is None
    assert compute(Opcode.REM, INT32, a, constant(0)) is None


integers = st.sampled_from([INT8, UINT8, UINT16, INT32, UINT32, INT64, UINT64, POINTER])


@given(lane_values(), integers, integers, numbers)
def test_conversions(value: LaneValue, source: Type, target: Type, given: Numbers) -> None:
    result = convert(value, source, target)
    held = at(value, given)
    if result is None:
        assert value.terms
        return
    assume(fits(held, source))
    expected = [_cast(item, target) for item in held]
    if value.terms:
        assume(fits(held, target))  # a wrapped sum is an overflow
    assert at(result, given) == expected


def _cast(value: int, type: Type) -> int:
    bits = type.bits or 64
    value %= 1 << bits
    return value - (1 << bits) if type.signed and value >> (bits - 1) else value


@given(patterns.map(LaneValue))
def test_conversions_to_conditions_and_floats(value: LaneValue) -> None:
    assert convert(value, INT32, PREDICATE) == LaneValue(tuple(int(v != 0) for v in value.lanes))
    assert convert(value, INT32, FLOAT32) is None
    assert convert(symbol("n"), INT32, PREDICATE) is None
    assert convert(symbol("n"), INT64, UINT8) is None


def test_what_a_value_says_of_itself() -> None:
    thread = LaneValue(tuple(range(WARP)))
    pitched = multiply(thread, symbol("pitch"))
    assert pitched is not None
    assert not pitched.shifts_only
    assert not pitched.is_uniform
    shifted = add(thread, symbol("n"))
    assert shifted.shifts_only
    assert not shifted.is_number
    assert add(constant(4), symbol("n")).is_uniform
    assert add(constant(4), symbol("n")).number is None
    assert constant(4).number == 4
    assert thread.number is None


def test_what_is_worth_knowing_is_known() -> None:
    """The forms that real kernels need; `None` would be right, and useless."""
    thread = LaneValue(tuple(range(WARP)))
    row = add(multiply(symbol("n"), constant(32)) or thread, thread)  # n * 32 + t
    assert compute(Opcode.REM, UINT32, row, constant(32)) == thread
    assert compute(Opcode.AND, INT32, row, constant(31)) == thread
    assert compute(Opcode.DIV, INT32, row, constant(32)) == symbol("n")
    assert compute(Opcode.SHR, INT32, row, constant(5)) == symbol("n")
    assert compute(Opcode.AND, INT32, row, constant(-32)) == multiply(symbol("n"), constant(32))
    high = multiply(symbol("n"), constant(32))
    assert high is not None
    assert compute(Opcode.OR, INT32, high, thread) == row
    assert compute(Opcode.XOR, INT32, high, thread) == row
    assert compute(Opcode.SHL, INT32, symbol("n"), constant(5)) == high
    assert compute(Opcode.LT, INT32, row, add(row, constant(1))) == constant(1)
