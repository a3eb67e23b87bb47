"""Values as `coefficient · threadIdx.x + number + rest`, against trying numbers."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.warp_evaluation.affine_lanes import (
    Parts,
    cancels,
    is_aligned,
    parts_of,
    splits_at_warps,
)
from warplint.analyzer.ir.operations import Compare, Operation

NUMBERS = st.integers(-100, 100)


def parts(expression: str, block: tuple[int, int, int] = (64, 1, 1)) -> Parts:
    facts = body_facts(f"int t = threadIdx.x; p[0] = {expression};", block)
    return parts_of(facts.flow, block, facts.accesses[-1].operands[1])


Term = tuple[str, int]


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from("tn1"), NUMBERS), min_size=1, max_size=5))
def test_sums_are_taken_apart(terms: list[Term]) -> None:
    found = parts(" + ".join(f"({name} * {factor})" for name, factor in terms))
    assert found.coefficient == sum(factor for name, factor in terms if name == "t")
    assert found.number == sum(factor for name, factor in terms if name == "1")
    for name, factor in terms:
        if name == "n":
            assert factor % found.multiple == 0  # whatever n is


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.integers(-5, 5))
def test_parts_add_up(a: int, b: int, c: int, d: int, factor: int) -> None:
    one, other = Parts(a, b), Parts(c, d)
    assert one.plus(other) == Parts(a + c, b + d)
    assert one.plus(other, -1) == Parts(a - c, b - d)
    assert one.times(factor).coefficient == a * factor
    assert one.times(factor).number == b * factor


@pytest.mark.parametrize(
    ("expression", "coefficient", "multiple"),
    [
        ("t + n", 1, 1),
        ("t + n * 32", 1, 32),
        ("t + n * 4 + blockIdx.x * 8", 1, 4),
        ("(int)(blockIdx.x * blockDim.x) + t", 1, 32),  # of 64 threads
        ("t * n", 0, 1),  # not taken apart
        ("t / 2", 0, 1),
        ("p[3] + t", 1, 1),
        ("t << 2", 4, 32),
    ],
)
def test_coefficients_and_what_divides_the_rest(
    expression: str, coefficient: int, multiple: int
) -> None:
    found = parts(expression)
    assert (found.coefficient, found.multiple) == (coefficient, multiple)


def test_a_counter_is_its_first_value_and_its_steps() -> None:
    body = "for (int i = threadIdx.x; i < n; i += 64) p[i] = i;"
    facts = body_facts(body)
    found = parts_of(facts.flow, (64, 1, 1), facts.accesses[-1].operands[1])
    assert (found.coefficient, found.multiple) == (1, 32)


def comparison(text: str) -> tuple[Compare, Parts, Parts]:
    facts = body_facts(f"int t = threadIdx.x; bool c = {text}; p[0] = c;")
    (compare,) = (e for e in facts.kernel.operations() if isinstance(e, Compare))
    left, right = (parts_of(facts.flow, (64, 1, 1), each) for each in compare.operands)
    return compare, left, right


@settings(max_examples=40)
@given(st.sampled_from(["<", "<=", ">", ">="]), st.integers(0, 70), st.integers(-40, 40))
def test_borders_of_warps(operator: str, bound: int, shift: int) -> None:
    """Whether the comparison has one outcome in every warp, for any number of warps."""
    compare, left, right = comparison(f"t + {shift} {operator} {bound}")
    outcomes = {
        "<": lambda t: t + shift < bound,
        "<=": lambda t: t + shift <= bound,
        ">": lambda t: t + shift > bound,
        ">=": lambda t: t + shift >= bound,
    }[operator]
    at_warps = all(
        len({outcomes(warp * 32 + lane) for lane in range(32)}) == 1 for warp in range(-4, 6)
    )
    if splits_at_warps(compare, left, right):
        assert at_warps
    else:
        assert not at_warps or left.coefficient != 1 or not compare.compared.signed


@pytest.mark.parametrize(
    ("text", "cancel"),
    [("t + 3 < t + n", True), ("t == t * 1 + n", True), ("t < n", False), ("t * 2 < t", False)],
)
def test_the_lane_on_both_sides(text: str, *, cancel: bool) -> None:
    assert cancels(*comparison(text)) is cancel


@pytest.mark.parametrize(
    ("expression", "aligned"),
    [
        ("(t + (int)blockIdx.x * 32) >> 5", True),
        ("(t + (int)blockIdx.x * 16) >> 5", False),
        ("(t + 32) >> 6", True),
        ("(t + 32) >> 4", False),
        ("(t + 7) >> 5", False),
        ("(t + 64) & 96", True),
        ("(t + 64) & 97", False),
        ("t / 32", True),
        ("t / 64", True),
        ("t / 48", False),
        ("t * 2 / 64", False),
    ],
)
def test_quotients_that_a_warp_shares(expression: str, *, aligned: bool) -> None:
    facts = body_facts(f"int t = threadIdx.x; p[0] = {expression};")
    operation = facts.accesses[-1].operands[1]
    assert isinstance(operation, Operation)
    while operation.opcode.value == "convert":
        (inner,) = operation.operands
        assert isinstance(inner, Operation)
        operation = inner
    divisor = getattr(operation.operands[1], "value", None)
    found = parts_of(facts.flow, (64, 1, 1), operation.operands[0])
    assert isinstance(divisor, int)
    assert is_aligned(operation, found, divisor) is aligned
