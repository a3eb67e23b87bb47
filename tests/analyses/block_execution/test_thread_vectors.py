"""Vectors against the arithmetic of single numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.block_execution.per_thread import PerThread
from warplint.analyzer.analyses.block_execution.thread_vectors import (
    Vector,
    change,
    chosen,
    compute,
    converted,
    entries,
    everyone,
    flags,
    lane_masks,
    mixed,
    numbers,
    size,
    split,
)
from warplint.analyzer.ir.arithmetic import evaluate, wrap
from warplint.analyzer.ir.operations import COMPARISONS, Opcode
from warplint.analyzer.ir.types import INT8, INT32, INT64, PREDICATE, UINT8, UINT32, UINT64, Type
from warplint.analyzer.ir.values import Special

COUNT = 6
BINARY = [
    *COMPARISONS,
    Opcode.ADD,
    Opcode.SUB,
    Opcode.MUL,
    Opcode.DIV,
    Opcode.REM,
    Opcode.MIN,
    Opcode.MAX,
    Opcode.AND,
    Opcode.OR,
    Opcode.XOR,
    Opcode.SHL,
    Opcode.SHR,
]
TYPES = [INT8, UINT8, INT32, UINT32, INT64, UINT64]
some_number = (
    st.integers(-(1 << 31), (1 << 33)) | st.integers(-3, 40) | st.integers(-(1 << 66), 1 << 66)
)
entry = st.none() | some_number
vectors: st.SearchStrategy[Vector] = (
    st.none()
    | some_number
    | st.tuples(*[entry] * COUNT).map(PerThread)
    | st.tuples(*[some_number] * COUNT).map(PerThread)
)
sets = st.lists(st.booleans(), min_size=COUNT, max_size=COUNT)


def _set(members: list[bool]) -> int:
    return int.from_bytes(bytes(members), "little")


@given(st.sampled_from(BINARY), st.sampled_from(TYPES), vectors, vectors)
def test_arithmetic(opcode: Opcode, type_: Type, a: Vector, b: Vector) -> None:
    result = list(entries(compute(opcode, type_, a, b, COUNT), COUNT))
    for thread, (x, y) in enumerate(zip(_list(a), _list(b), strict=True)):
        expected = None
        if x is not None and y is not None:
            expected = evaluate(opcode, type_, (wrap(x, type_), wrap(y, type_)))
        elif opcode in (Opcode.AND, Opcode.OR):
            # Every bit, set or not, gives the same.
            low, high = (
                {evaluate(opcode, type_, (wrap(each, type_), wrap(other, type_))) for each in (x, y)
                 if each is not None}
                for other in (0, -1)
            )  # fmt: skip
            expected = next(iter(low)) if low and low == high else None
        assert result[thread] == expected


def _list(vector: Vector) -> list[int | None]:
    return [each for each, _ in zip(entries(vector, COUNT), range(COUNT), strict=False)]


@given(st.sampled_from(TYPES), st.sampled_from([*TYPES, PREDICATE]), vectors)
def test_conversion(source: Type, target: Type, a: Vector) -> None:
    for x, y in zip(_list(a), _list(converted(a, source, target)), strict=True):
        if x is None:
            assert y is None
        elif target is PREDICATE:
            assert y == int(x != 0)
        else:
            assert y is not None
            assert wrap(y, target) == wrap(wrap(x, source), target)


@given(sets, vectors, vectors)
def test_mixing(members: list[bool], new: Vector, old: Vector) -> None:
    for member, a, b, got in zip(
        members, _list(new), _list(old), _list(mixed(_set(members), new, old, COUNT)), strict=True
    ):
        assert got == (a if member else b)


@given(vectors, sets)
def test_a_split_leaves_nobody_out(condition: Vector, members: list[bool]) -> None:
    holds, fails, unknown = split(condition, _set(members), COUNT)
    assert holds | fails | unknown == _set(members)
    assert size(holds) + size(fails) + size(unknown) == sum(members)
    for thread, value in enumerate(_list(condition)):
        if members[thread]:
            expected = unknown if value is None else holds if value else fails
            assert thread in numbers(expected, COUNT)


@given(vectors, vectors, vectors)
def test_choice(condition: Vector, then: Vector, otherwise: Vector) -> None:
    result = _list(chosen(condition, then, otherwise, COUNT))
    for c, a, b, got in zip(_list(condition), _list(then), _list(otherwise), result, strict=True):
        if c is not None:
            assert got == (a if c else b)
        elif got is not None:
            assert got == a == b


def test_sets_are_flags() -> None:
    assert list(flags(everyone(3), 3)) == [1, 1, 1]
    assert size(everyone(40)) == 40
    assert change(lambda number: number + 1, PerThread((1, None, 3))) == PerThread((2, None, 4))


def test_masks_of_lanes() -> None:
    lanes = [thread % 32 for thread in range(40)]
    asked = {
        Special.LANE_MASK_LT: lambda own, other: other < own,
        Special.LANE_MASK_LE: lambda own, other: other <= own,
        Special.LANE_MASK_EQ: lambda own, other: other == own,
        Special.LANE_MASK_GE: lambda own, other: other >= own,
        Special.LANE_MASK_GT: lambda own, other: other > own,
    }
    for register, among in asked.items():
        wanted = [sum(1 << other for other in range(32) if among(own, other)) for own in lanes]
        assert list(entries(lane_masks(register, 40), 40)) == wanted
