"""Affine forms, against what random sums and products come to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from ir.graphs import WHERE

from warplint.analyzer.analyses.dataflow.affine import affine, counted_from
from warplint.analyzer.ir.operations import Opcode, Operation
from warplint.analyzer.ir.types import INT32
from warplint.analyzer.ir.values import Constant, Parameter, Special, SpecialRegister, Value

LEAVES = [Parameter(INT32, name, index) for index, name in enumerate("abc")]
X, BLOCK = (SpecialRegister(INT32, each) for each in (Special.THREAD_X, Special.BLOCK_X))


def make(opcode: Opcode, *operands: Value) -> Operation:
    return Operation(opcode, INT32, list(operands), WHERE)


def number(value: int) -> Constant:
    return Constant(INT32, value)


@st.composite
def expressions(draw: st.DrawFn) -> tuple[Value, dict[Value, int]]:
    """A value of nodes that are used several times, and what each comes to for some numbers."""
    known: dict[Value, int] = {leaf: draw(st.integers(-9, 9)) for leaf in LEAVES}
    for _ in range(draw(st.integers(1, 12))):
        first, second = (draw(st.sampled_from(list(known))) for _ in range(2))
        factor = draw(st.integers(-5, 5))
        kind = draw(st.sampled_from([Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.SHL]))
        constant = number(abs(factor) if kind is Opcode.SHL else factor)
        if kind is Opcode.ADD:
            known[make(kind, first, second)] = known[first] + known[second]
        elif kind is Opcode.SUB and draw(st.booleans()):
            known[make(kind, first, second)] = known[first] - known[second]
        elif kind is Opcode.SUB:
            known[make(kind, first, constant)] = known[first] - factor
        elif kind is Opcode.MUL:
            known[make(kind, constant, first)] = known[first] * factor
        else:
            known[make(kind, first, constant)] = known[first] << abs(factor)
    return list(known)[-1], known


@given(expressions())
def test_the_form_comes_to_the_same(drawn: tuple[Value, dict[Value, int]]) -> None:
    value, known = drawn
    form = affine(value)
    total = sum(factor * known[part] for part, factor in form.factors.items())
    assert form.number + total == known[value]


def test_a_sum_that_is_doubled_over_and_over_is_taken_apart() -> None:
    value: Value = LEAVES[0]
    for _ in range(300):
        value = make(Opcode.ADD, value, value)
    assert affine(value).factors == {LEAVES[0]: 1 << 300}


def test_what_is_no_sum_stands_for_itself() -> None:
    a, b, _ = LEAVES
    for value in (a, make(Opcode.MUL, a, b), make(Opcode.SUB, a, b), make(Opcode.SHL, a, b)):
        assert (affine(value).number, affine(value).factors) == (0, {value: 1})
    assert (affine(number(7)).number, affine(number(7)).factors) == (7, {})


def test_pitches_are_blocks_counted_in_threads() -> None:
    place = make(Opcode.ADD, make(Opcode.MUL, BLOCK, number(100)), make(Opcode.MUL, X, number(4)))
    assert affine(place).pitch(Special.THREAD_X, Special.BLOCK_X) == 25
    assert affine(place).pitch(Special.BLOCK_X, Special.THREAD_X) is None
    assert affine(X).pitch(Special.THREAD_X, Special.BLOCK_X) is None


def test_an_address_is_counted_from_the_first_operand() -> None:
    a, b, c = LEAVES
    assert counted_from(make(Opcode.ADD, make(Opcode.ADD, a, b), c)) is a
    assert counted_from(make(Opcode.MUL, a, b)) is not a
