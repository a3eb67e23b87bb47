"""What is computed in doubles, what makes it double, and what the compiler is left with."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.arithmetic.double_arithmetic import (
    DoubleArithmetic,
    conversions,
    double_arithmetic,
    double_work,
    is_call,
)

PARAMETERS = "float *out, const float *a, float x, double d"


def groups(body: str) -> list[DoubleArithmetic]:
    facts = body_facts(body, parameters=PARAMETERS)
    return list(double_arithmetic(facts.kernel, facts.users))


@pytest.mark.parametrize(
    ("body", "called", "constants"),
    [
        ("out[0] = x * 0.1;", [], (0.1,)),
        ("out[0] = 2.0f * x * 0.1;", [], (0.1,)),
        ("out[0] = 2.0f * pow(x, 3);", ["pow"], ()),
        ("out[0] = 2.0f * pow(x, 3.0);", ["pow"], ()),  # `powf` takes any number
        ("out[0] = pow(x, 1 / 3.0) - 0.7;", ["pow"], (3.0, 0.7)),
        ("out[0] = sqrt(2.0f / 3.14) * (x + 0.5f * pow(x, 3));", ["pow"], (3.14,)),
        ("out[0] = sqrt(pow(x, 2) + pow(a[0], 2));", ["pow", "pow"], ()),
        ("out[0] = sqrt(2) * x;", ["sqrt"], ()),
        ("out[0] = sqrt(2.0) * x;", [], (2.0,)),
    ],
)
def test_what_makes_a_group_double(
    body: str, called: list[str], constants: tuple[float, ...]
) -> None:
    (group,) = groups(body)
    assert [getattr(each, "name", None) for each in group.calls] == called
    assert group.constants == constants


def test_constants_are_named_once_and_no_call_that_gets_doubles() -> None:
    (group,) = groups("out[0] = sqrt(x * 0.1 + a[0] * 0.1 - 0.7);")
    assert group.constants == (0.1, 0.7)
    assert is_call(group.operations[-1])
    assert group.calls == ()  # what it gets is double by then


@pytest.mark.parametrize(
    ("body", "narrowed"),
    [
        ("out[0] = x * 2.0;", True),
        ("out[0] = (3 / 2.0 - 1.0) * x;", True),
        ("out[0] = x > 0.5 * 0.5;", True),
        ("out[0] = x * 0.1;", False),
        ("out[0] = x * (2.0 / 0.0);", False),
        ("out[0] = sqrt(x * 2.0);", False),
    ],
)
def test_the_compiler_does_it_in_floats(body: str, narrowed: bool) -> None:
    (group,) = groups(body)
    assert group.narrowed is narrowed


def test_what_has_constants_alone_is_computed_by_the_compiler() -> None:
    assert groups("out[0] = sqrt(2.0 / 3.0);") == []
    (group,) = groups("out[0] = sqrt(2.0 / 3.0) * x;")
    assert (len(group.written), len(group.operations)) == (3, 1)


def test_functions_and_quotients_are_more_work_and_conversions_count_once() -> None:
    facts = body_facts("out[0] = sqrt(x / 0.1 - x);", parameters=PARAMETERS)
    (group,) = double_arithmetic(facts.kernel, facts.users)
    assert sorted(map(double_work, group.operations)) == [1, 8, 16]
    around = conversions(group, facts.users)
    assert len(around) == 3  # x as it goes in, twice, and the root as it goes back to a float
