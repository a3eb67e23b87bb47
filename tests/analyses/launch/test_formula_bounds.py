"""Between which numbers host formulas are: against trying out all values of their variables."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.launch.formula_bounds import bounds, most_of_sizes
from warplint.analyzer.analyses.launch.relations import can_launch
from warplint.analyzer.ir.host_formulas import (
    OPERATORS,
    UNLIMITED,
    Formula,
    LaunchFormulas,
    Limits,
    Operation,
    Variable,
    evaluate,
)

SIZE, B = Variable(0, "size"), Variable(1, "b")
SMALL = range(-5, 6)


def limited(name: Variable) -> st.SearchStrategy[Variable]:
    """The variable with no limits, with one, and with both."""
    ends = st.one_of(st.none(), st.sampled_from(SMALL))
    return st.builds(lambda a, b: Variable(name.number, name.name, Limits(a, b)), ends, ends)


@st.composite
def formulas(draw: st.DrawFn) -> Formula:
    size, b = draw(limited(SIZE)), draw(limited(B))
    leaves: st.SearchStrategy[Formula] = st.one_of(
        st.sampled_from(SMALL), st.sampled_from([size, b])
    )
    return draw(
        st.recursive(
            leaves,
            lambda inner: st.builds(Operation, st.sampled_from(sorted(OPERATORS)), inner, inner),
            max_leaves=5,
        )
    )


def variables_in(formula: Formula) -> dict[int, Variable]:
    if isinstance(formula, Variable):
        return {formula.number: formula}
    if isinstance(formula, Operation):
        return variables_in(formula.left) | variables_in(formula.right)
    return {}


@settings(max_examples=400, deadline=None)
@given(formula=formulas(), known=st.sampled_from([{}, {0: 3}, {1: 4}, {1: -2}]))
def test_every_number_that_a_formula_can_be_is_within_its_bounds(
    formula: Formula, known: dict[int, int]
) -> None:
    found = bounds(formula, known)
    names = variables_in(formula)
    checked = 0
    for size, b in product(SMALL, SMALL):
        values = {0: size, 1: b} | known
        if any(values[at] not in each.limits for at, each in names.items() if at not in known):
            continue
        number = evaluate(formula, values)
        assert number is None or number in found
        checked += 1
    assert checked > 0 or any(each.limits != UNLIMITED for each in names.values())


def op(operator: str, left: Formula, right: Formula) -> Operation:
    return Operation(operator, left, right)


@pytest.mark.parametrize(
    ("formula", "known", "expected"),
    [
        pytest.param(op("%", SIZE, B), {1: 257}, Limits(-256, 256), id="remainder"),
        pytest.param(
            op("%", 1000, B), {1: 257}, Limits(0, 256), id="remainder of a positive number"
        ),
        pytest.param(op("%", 7, B), {1: 257}, Limits(0, 7), id="no more than the whole"),
        pytest.param(op("%", SIZE, B), {}, UNLIMITED, id="divisor not known"),
        pytest.param(op("min", SIZE, 1024), {}, Limits(None, 1024), id="capped"),
        pytest.param(op("max", SIZE, 1), {}, Limits(1, None), id="at least"),
        pytest.param(op("+", op("max", SIZE, 1), 4), {}, Limits(5, None), id="sum"),
        pytest.param(op("-", 9, op("min", SIZE, 4)), {}, Limits(5, None), id="difference"),
        pytest.param(op("/", op("max", SIZE, 1), 2), {}, Limits(0, None), id="quotient"),
        pytest.param(op("<<", SIZE, 2), {}, UNLIMITED, id="shift"),
    ],
)
def test_bounds_of(formula: Formula, known: dict[int, int], expected: Limits) -> None:
    assert bounds(formula, known) == expected


@pytest.mark.parametrize(
    ("remainder", "launchable"), [(256, True), (1, True), (257, False), (1000, False)]
)
def test_a_remainder_is_less_than_what_it_is_of(remainder: int, launchable: bool) -> None:
    formulas = LaunchFormulas((1, 1, 1), (64, 1, 1), (op("%", SIZE, B), B))
    assert (can_launch(formulas, (64, 1, 1), {0: remainder, 1: 257}) is not False) is launchable


def is_of_sizes(part: Formula, values: dict[int, int]) -> bool:
    """Whether no part is below zero, and no number is divided by zero."""
    found = evaluate(part, values)
    inner = (part.left, part.right) if isinstance(part, Operation) else ()
    return found is not None and found >= 0 and all(is_of_sizes(each, values) for each in inner)


SIZES: st.SearchStrategy[Formula] = st.recursive(
    st.integers(0, 9) | st.sampled_from([SIZE, B]),
    lambda inner: st.builds(
        Operation, st.sampled_from(["+", "*", "/", "%", "min", "max", "-", ">>"]), inner, inner
    ),
    max_leaves=5,
)


@given(SIZES, st.integers(0, 40), st.integers(0, 40))
def test_no_formula_of_sizes_exceeds_its_bound(formula: Formula, size: int, b: int) -> None:
    values = {0: size, 1: b}
    found, number = most_of_sizes(formula), evaluate(formula, values)
    if is_of_sizes(formula, values) and found is not None and number is not None:
        assert number <= found


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (7, 7),
        (None, None),
        (SIZE, None),
        (op("min", SIZE, 7), 7),
        (op("%", SIZE, 7), 6),
        (op("%", SIZE, B), None),
        (op("/", op("min", SIZE, 7), 2), 3),
        (op("/", op("min", SIZE, 7), B), 7),
        (op("max", SIZE, 7), None),
        (op("*", op("min", SIZE, 7), 3), 21),
        (op("-", 64, SIZE), 64),
        (op(">>", op("min", SIZE, 64), 2), 16),
    ],
)
def test_the_greatest_number_of_a_formula_of_sizes(formula: Formula | None, expected: int) -> None:
    assert most_of_sizes(formula) == expected
