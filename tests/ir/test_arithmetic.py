"""Integer arithmetic against ctypes, which wraps as the machine does."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.ir.arithmetic import evaluate, wrap
from warplint.analyzer.ir.operations import COMPARISONS, Opcode
from warplint.analyzer.ir.types import (
    FLOAT32,
    INT8,
    INT16,
    INT32,
    INT64,
    POINTER,
    PREDICATE,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    UNKNOWN,
    Kind,
    Type,
    integer,
)

MACHINE: dict[Type, Any] = {
    INT8: ctypes.c_int8,
    INT16: ctypes.c_int16,
    INT32: ctypes.c_int32,
    INT64: ctypes.c_int64,
    UINT8: ctypes.c_uint8,
    UINT16: ctypes.c_uint16,
    UINT32: ctypes.c_uint32,
    UINT64: ctypes.c_uint64,
    POINTER: ctypes.c_uint64,
}
types = st.sampled_from(list(MACHINE))
edges = [0, 1, 2, 3, 31, 32, 127, 128, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1]
numbers = st.one_of(st.integers(-(2**65), 2**65), st.sampled_from(edges + [-n for n in edges]))


def held(type: Type, number: int) -> int:
    """The number as the machine holds it in this type."""
    return int(MACHINE[type](number).value)


@given(types, numbers)
def test_wrapping_is_the_machines(type: Type, number: int) -> None:
    assert wrap(number, type) == held(type, number)


PLAIN = {
    Opcode.ADD: lambda a, b: a + b,
    Opcode.SUB: lambda a, b: a - b,
    Opcode.MUL: lambda a, b: a * b,
    Opcode.MIN: min,
    Opcode.MAX: max,
    Opcode.AND: lambda a, b: a & b,
    Opcode.OR: lambda a, b: a | b,
    Opcode.XOR: lambda a, b: a ^ b,
    Opcode.EQ: lambda a, b: a == b,
    Opcode.NE: lambda a, b: a != b,
    Opcode.LT: lambda a, b: a < b,
    Opcode.LE: lambda a, b: a <= b,
    Opcode.GT: lambda a, b: a > b,
    Opcode.GE: lambda a, b: a >= b,
}


@given(st.sampled_from(list(PLAIN)), types, numbers, numbers)
def test_two_operands(opcode: Opcode, type: Type, a: int, b: int) -> None:
    a, b = held(type, a), held(type, b)
    expected = PLAIN[opcode](a, b)
    result = evaluate(opcode, type, (a, b))
    assert result == (int(expected) if opcode in COMPARISONS else held(type, expected))


@given(types, numbers, numbers)
def test_division_truncates(type: Type, a: int, b: int) -> None:
    a, b = held(type, a), held(type, b)
    quotient, remainder = (evaluate(op, type, (a, b)) for op in (Opcode.DIV, Opcode.REM))
    if b == 0:
        assert quotient is None
        assert remainder is None
        return
    assert quotient is not None
    assert remainder is not None
    assert held(type, quotient * b + remainder) == a
    assert abs(remainder) < abs(b)
    assert remainder == 0 or (remainder < 0) == (a < 0)


@pytest.mark.parametrize(
    ("a", "b", "quotient", "remainder"),
    [(7, 2, 3, 1), (-7, 2, -3, -1), (7, -2, -3, 1), (-7, -2, 3, -1), (-(2**31), -1, -(2**31), 0)],
)
def test_division_of_negatives(a: int, b: int, quotient: int, remainder: int) -> None:
    assert evaluate(Opcode.DIV, INT32, (a, b)) == quotient
    assert evaluate(Opcode.REM, INT32, (a, b)) == remainder


@given(types, numbers, st.integers(0, 200))
def test_shifts_clamp_at_the_width(type: Type, a: int, count: int) -> None:
    a, bits = held(type, a), type.bits
    assert bits is not None
    left = evaluate(Opcode.SHL, type, (a, count))
    right = evaluate(Opcode.SHR, type, (a, count))
    if count >= bits:
        assert left == 0
        assert right == (-1 if a < 0 else 0)
    else:
        assert left == held(type, a * 2**count)
        assert right == a // 2**count


@given(types, numbers, numbers)
def test_the_high_half_of_a_product(type: Type, a: int, b: int) -> None:
    a, b, bits = held(type, a), held(type, b), type.bits
    high = evaluate(Opcode.MUL_HIGH, type, (a, b))
    low = evaluate(Opcode.MUL, type, (a, b))
    assert high is not None
    assert low is not None
    assert bits is not None
    assert high * 2**bits + low % 2**bits == a * b


@given(types, numbers)
def test_one_operand(type: Type, a: int) -> None:
    a = held(type, a)
    assert evaluate(Opcode.NEG, type, (a,)) == held(type, -a)
    assert evaluate(Opcode.NOT, type, (a,)) == held(type, ~a)
    assert evaluate(Opcode.ABS, type, (a,)) == held(type, abs(a))


@given(types, numbers, numbers)
def test_selection(type: Type, a: int, b: int) -> None:
    assert evaluate(Opcode.SELECT, type, (1, a, b)) == a
    assert evaluate(Opcode.SELECT, type, (0, a, b)) == b


def test_predicates() -> None:
    for a in (0, 1):
        assert evaluate(Opcode.NOT, PREDICATE, (a,)) == 1 - a
        for b in (0, 1):
            assert evaluate(Opcode.AND, PREDICATE, (a, b)) == (a and b)
            assert evaluate(Opcode.OR, PREDICATE, (a, b)) == (a or b)
            assert evaluate(Opcode.XOR, PREDICATE, (a, b)) == (a ^ b)


def test_what_is_not_integer_arithmetic_has_no_value() -> None:
    assert evaluate(Opcode.ADD, FLOAT32, (1, 2)) is None
    assert evaluate(Opcode.ADD, UNKNOWN, (1, 2)) is None
    assert evaluate(Opcode.CALL, INT32, (1, 2)) is None


def test_types_describe_themselves() -> None:
    assert [str(type) for type in (INT8, UINT64, FLOAT32, PREDICATE, POINTER)] == [
        *("s8", "u64", "f32", "predicate", "pointer")
    ]
    assert str(Type(Kind.AGGREGATE, 96, name="float3")) == "float3"
    assert [type.width for type in (PREDICATE, INT16, FLOAT32, POINTER, UNKNOWN)] == [
        *(1, 2, 4, 8, None)
    ]
    assert integer(32, signed=False) is UINT32
    assert integer(8, signed=True) is INT8
