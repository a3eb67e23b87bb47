"""Numbers that make conditions hold, checked by putting them in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.block_execution.number_solver import NumberSolver
from warplint.analyzer.ir.operations import Branch
from warplint.analyzer.ir.values import Parameter, SpecialRegister
from warplint.analyzer.source.numbers import truncated

if TYPE_CHECKING:
    from warplint.analyzer.ir.values import Value

PARAMETERS = "int *p, int n, int m"


def conditions(*texts: str) -> list[Value]:
    body = " ".join(f"if ({text}) p[{at}] = 1;" for at, text in enumerate(texts))
    facts = body_facts(body, parameters=PARAMETERS)
    last = [block.terminator for block in facts.kernel.blocks]
    return [each.condition for each in last if isinstance(each, Branch)]


def solver(most: int = 1 << 30) -> NumberSolver:
    """Sizes begin at 2,048; of a thread nothing but 0 is known."""

    def known(value: Value) -> int | None:
        if isinstance(value, SpecialRegister):
            return 0
        return 2048 if isinstance(value, Parameter) else None

    def choice(value: Value) -> str | None:
        return value.name if isinstance(value, Parameter) and value.name in "nm" else None

    return NumberSolver(known, choice, lambda _, number: number <= most)


OPERATORS = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
SHAPES = {  # quotients and remainders as C++ has them
    "{} + 7": lambda n: n + 7,
    "{} - 7": lambda n: n - 7,
    "7 - {}": lambda n: 7 - n,
    "{} * 3": lambda n: n * 3,
    "{} / 4": lambda n: truncated(n, 4),
    "{} << 2": lambda n: n << 2,
    "{} >> 1": lambda n: n >> 1,
    "min({}, 50)": lambda n: min(n, 50),
    "max({}, 50)": lambda n: max(n, 50),
    "({} & 12)": lambda n: n & 12,
    "({} | 5)": lambda n: n | 5,
    "({} ^ 9)": lambda n: n ^ 9,
    "-{}": lambda n: -n,
    "~{}": lambda n: ~n,
    "{} % 11": lambda n: n - 11 * truncated(n, 11),
}


@settings(max_examples=80)
@given(
    st.lists(st.sampled_from(sorted(SHAPES)), max_size=3),
    st.sampled_from(sorted(OPERATORS)), st.integers(0, 300), st.booleans(), st.booleans(),
)  # fmt: skip
def test_what_is_chosen_makes_the_condition_hold(
    shapes: list[str], operator: str, number: int, truth: bool, swapped: bool
) -> None:
    text = "n"
    for shape in shapes:
        text = f"({shape.format(text)})"
    (condition,) = conditions(
        f"{number} {operator} {text}" if swapped else f"{text} {operator} {number}"
    )
    found = solver()
    if not found.hold([(condition, truth)]):
        assert found.chosen == {}
        return
    n = found.chosen.get("n", 2048)
    value = n
    for shape in shapes:
        value = SHAPES[shape](value)
    pair = (number, value) if swapped else (value, number)
    assert OPERATORS[operator](*pair) is truth
    if not shapes:
        assert found.value(condition) == int(truth)


@pytest.mark.parametrize(
    ("texts", "chosen"),
    [
        (["n == 3"], {"n": 3}),
        (["n > 3"], {}),  # holds as it is
        (["n < 100"], {"n": 99}),
        (["n == 3 && m == 4"], {"n": 3, "m": 4}),
        (["n == 3", "m == n + 1"], {"n": 3, "m": 4}),
        (["n == 3", "n == 4"], None),
        (["2 * m + 1 > n"], {}),
        (["n / 4 == 5"], {"n": 20}),
        (["n * 2 == 7"], None),
        (["n & 4"], {"n": 4}),
        (["(n & 12) == 8"], {"n": 8}),
        (["n | 1", "(n & 6) != 0"], {"n": 6}),
        (["m < n && n < 100"], {"n": 99, "m": 98}),  # the second breaks the first
        (["-n > 3 && ~m == 5"], {"n": -4, "m": -6}),
        (["p[0] == 3"], {}),  # of which nothing is known
        (["threadIdx.x == 3"], None),
    ],
)
def test_conditions_that_hold_together(texts: list[str], chosen: dict[str, int] | None) -> None:
    found = solver()
    held = all(found.hold([(each, True)]) for each in conditions(*texts)[-len(texts) :])
    if chosen is None:
        assert not held or found.chosen == {}
    else:
        assert held
        assert found.chosen == chosen


def test_what_is_kept_stays() -> None:
    low, high, larger = conditions("n < 9", "n > 9", "m > n")
    found = solver()
    assert found.hold([(low, True)])
    assert not found.hold([(high, True)], kept=[(low, True)])
    assert found.hold([(larger, True)], kept=[(low, True)])
    assert found.chosen == {"n": 8}  # below what m begins with


def test_steps_that_are_used_up() -> None:
    first, second = conditions("n > m", "n / m > 1")
    found = solver()
    assert found.hold([(first, True)])
    assert not found.hold([(first, True)] * 20_000)
    assert not found.hold([(second, False)])  # whatever it is


def test_numbers_that_are_not_allowed() -> None:
    (condition,) = conditions("n > 5000")
    assert not solver(most=4000).hold([(condition, True)])
    assert solver(most=6000).hold([(condition, True)])
