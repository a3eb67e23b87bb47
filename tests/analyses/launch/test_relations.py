"""Which arguments a host can pass: against trying out all values of its variables."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.launch.relations import (
    all_values,
    can_launch,
    grid_of,
    makes_grid,
    suggestions,
    telling_arguments,
)
from warplint.analyzer.ir.host_formulas import (
    Formula,
    LaunchFormulas,
    Limits,
    Operation,
    Variable,
    evaluate,
)

N, M = Variable(0, "n"), Variable(1, "m")
VALUES = range(9)
BLOCK = (4, 1, 1)

LEAVES: st.SearchStrategy[Formula] = st.one_of(st.integers(0, 6), st.sampled_from([N, M]))
FORMULAS: st.SearchStrategy[Formula] = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        Operation, st.sampled_from(["+", "-", "*", "/", "%", "<<", "min", "max"]), inner, inner
    ),
    max_leaves=4,
)


def rounded_up(formula: Formula, by: int) -> Formula:
    return Operation("/", Operation("+", formula, by - 1), by)


@settings(max_examples=300, deadline=None)
@given(grid=FORMULAS, block=FORMULAS, argument=FORMULAS, number=st.integers(0, 12))
def test_no_launch_of_small_numbers_is_refused(
    grid: Formula, block: Formula, argument: Formula, number: int
) -> None:
    formulas = LaunchFormulas((grid, 1, 1), (block, 1, 1), (argument,))
    exists = any(
        evaluate(block, values) == BLOCK[0]
        and evaluate(argument, values) == number
        and (evaluate(grid, values) or 0) > 0
        for values in ({0: n, 1: m} for n, m in product(VALUES, VALUES))
    )
    if exists:
        assert can_launch(formulas, BLOCK, {0: number}) is not False


@settings(max_examples=300, deadline=None)
@given(grid=FORMULAS, block=FORMULAS, argument=FORMULAS)
def test_what_is_suggested_can_be_launched(
    grid: Formula, block: Formula, argument: Formula
) -> None:
    formulas = LaunchFormulas((grid, 1, 1), (block, 1, 1), (argument,))
    for numbers, _ in zip(suggestions(formulas, BLOCK, [0]), range(3), strict=False):
        assert can_launch(formulas, BLOCK, numbers) is not False


def test_a_grid_of_full_blocks_has_none_for_a_few_elements() -> None:
    formulas = LaunchFormulas((Operation("/", N, 256), 1, 1), (256, 1, 1), (N,))
    assert can_launch(formulas, (256, 1, 1), {0: 129}) is False
    assert can_launch(formulas, (256, 1, 1), {0: 300}) is True
    assert can_launch(formulas, (256, 1, 1), {0: 300}, (1, 0, 0)) is False


def test_the_grid_belongs_to_the_arguments() -> None:
    formulas = LaunchFormulas((rounded_up(N, 256), M, 1), (256, 1, 1), (N,))
    assert can_launch(formulas, (256, 1, 1), {0: 1}, grid=(2, None, None)) is False
    assert can_launch(formulas, (256, 1, 1), {0: 300}, grid=(2, None, None)) is True
    assert grid_of(formulas, (256, 1, 1), {0: 300})[0] == 2
    assert grid_of(formulas, (256, 1, 1), {0: 1})[0] == 1
    assert grid_of(formulas, (128, 1, 1), {0: 1}) == (None, None, None)
    unknown = LaunchFormulas((None, 1, 1), (256, 1, 1), (N,))
    assert grid_of(unknown, (256, 1, 1), {0: 300}) == (None, 1, 1)


@settings(max_examples=200, deadline=None)
@given(grid=FORMULAS, argument=FORMULAS, number=st.integers(1, 2000))
def test_a_grid_that_is_made_can_be_launched(grid: Formula, argument: Formula, number: int) -> None:
    formulas = LaunchFormulas((grid, 1, 1), (256, 1, 1), (argument,))
    x, y, z = grid_of(formulas, (256, 1, 1), {0: number})
    if x is not None:
        assert can_launch(formulas, (256, 1, 1), {0: number}, grid=(x, y, z)) is not False


def test_a_product_of_grid_and_block_is_a_multiple_of_the_block() -> None:
    formulas = LaunchFormulas((N, 1, 1), (Operation("<<", M, 3), 1, 1), (Operation("*", N, M),))
    assert can_launch(formulas, (1024, 1, 1), {0: 100}) is False
    assert can_launch(formulas, (1024, 1, 1), {0: 256}) is True
    found = [numbers[0] for numbers in suggestions(formulas, (1024, 1, 1), [0])]
    assert found
    assert all(number % 128 == 0 for number in found)


def test_the_largest_and_the_least_that_go_together() -> None:
    area = Operation("*", Operation("+", N, 1), N)
    formulas = LaunchFormulas((1, 1, 1), (32, 1, 1), (N, area, M))
    assert telling_arguments(formulas, (32, 1, 1), [0, 1]) == ({0: 1024, 1: 1049600}, {0: 1, 1: 2})
    assert telling_arguments(formulas, (64, 1, 1), [0, 1]) == ()
    one = LaunchFormulas((1, 1, 1), (N, 1, 1), (N,))
    assert telling_arguments(one, (32, 1, 1), [0]) == ({0: 32},)


def test_arguments_that_end_within_a_block_part_its_warps() -> None:
    tiles, rest = Operation("/", M, N), Operation("%", M, N)
    formulas = LaunchFormulas((rounded_up(M, 512), 1, 1), (512, 1, 1), (N, tiles, rest))
    large, middle, least = telling_arguments(formulas, (512, 1, 1), [0, 1, 2])
    assert can_launch(formulas, (512, 1, 1), middle) is True
    assert sum(32 < number < 512 for number in middle.values()) >= 2
    assert min(large.values()) >= min(middle.values())
    assert max(middle.values()) >= max(least.values())
    assert len({tuple(each.values()) for each in (large, middle, least)}) == 3


def test_a_grid_that_is_rounded_up_takes_any_number() -> None:
    formulas = LaunchFormulas((rounded_up(N, 256), 1, 1), (256, 1, 1), (N,))
    assert can_launch(formulas, (256, 1, 1), {0: 129}) is True


def test_another_block_than_the_hosts_is_refused() -> None:
    formulas = LaunchFormulas((N, 1, 1), (128, 1, 1), (N,))
    assert can_launch(formulas, (256, 1, 1), {}) is False


def test_conditions_of_the_host_limit_what_it_passes() -> None:
    n = Variable(0, "n", limits=Limits(most=64))
    formulas = LaunchFormulas((rounded_up(n, 32), 1, 1), (32, 1, 1), (n, Operation("*", n, 2)))
    assert can_launch(formulas, (32, 1, 1), {0: 64}) is True
    assert can_launch(formulas, (32, 1, 1), {0: 65}) is False
    assert can_launch(formulas, (32, 1, 1), {1: 130}) is False
    passed = [found[0] for found in suggestions(formulas, (32, 1, 1), [0])]
    assert passed
    assert max(passed) <= 64


def test_what_the_host_keeps_away_is_not_passed() -> None:
    n = Variable(0, "n", limits=Limits(least=40, most=60))
    formulas = LaunchFormulas((rounded_up(n, 32), 1, 1), (32, 1, 1), (n, Operation("*", n, 2)))
    assert can_launch(formulas, (32, 1, 1), {0: 40}) is True
    assert can_launch(formulas, (32, 1, 1), {0: 39}) is False
    assert can_launch(formulas, (32, 1, 1), {1: 66}) is False
    passed = [found[0] for found in suggestions(formulas, (32, 1, 1), [0])]
    assert passed == [40, 60]


@pytest.mark.parametrize(
    ("operator", "number", "possible"),
    [
        ("max", 63, False),
        ("max", 64, True),
        ("max", 65, True),
        ("min", 65, False),
        ("min", 1, True),
    ],
)
def test_the_larger_and_the_smaller_of_two(operator: str, number: int, *, possible: bool) -> None:
    formulas = LaunchFormulas((1, 1, 1), (32, 1, 1), (Operation(operator, N, 64),))
    assert can_launch(formulas, (32, 1, 1), {0: number}) is possible


def test_exponents_are_all_tried() -> None:
    doubled = Operation("<<", 1, Operation("*", 2, N))
    formulas = LaunchFormulas((M, 1, 1), (256, 1, 1), (doubled, Operation("*", doubled, M)))
    block = (256, 1, 1)
    assert can_launch(formulas, block, {0: 129}) is False
    assert can_launch(formulas, block, {0: 64}) is True
    assert can_launch(formulas, block, {1: 129}) is not False


def test_limits_hold_for_exponents() -> None:
    level = Variable(0, "level", Limits(5, 12))
    squared = Operation(
        "/", Operation("*", Operation("<<", 1, level), Operation("<<", 1, level)), 4
    )
    formulas = LaunchFormulas((1, 1, 1), (256, 1, 1), (squared, N))
    assert all_values(formulas, 0) == {1 << 2 * each - 2 for each in range(5, 13)}
    assert all_values(formulas, 1) is None
    assert can_launch(formulas, (256, 1, 1), {0: 64}) is False


@settings(max_examples=100, deadline=None)
@given(factor=st.integers(-3, 3), offset=st.integers(-9, 9), number=st.integers(0, 40))
def test_a_shift_by_a_sum_is_found(factor: int, offset: int, number: int) -> None:
    by = Operation("+", Operation("*", N, factor), offset)
    formulas = LaunchFormulas((1, 1, 1), (4, 1, 1), (Operation("<<", 3, by),))
    exists = any(
        3 << (factor * n + offset) == number
        for n in range(-80, 80)
        if 0 <= factor * n + offset < 63
    )
    found = can_launch(formulas, BLOCK, {0: number})
    assert found is not (not exists)


@pytest.mark.parametrize(
    ("argument", "number", "launchable"),
    [
        (Operation("*", Operation("*", N, N), N), 27, True),
        (Operation("*", Operation("*", N, N), N), 19, False),
        (Operation("+", Operation("*", Operation("*", N, N), N), 1), 28, True),
        (Operation("*", Operation("*", N, N), 2), 18, True),
        (Operation("*", Operation("*", N, N), 2), 20, False),
        (Operation("*", N, N), 0, True),
        (Operation("*", N, M), 19, True),  # of two variables
    ],
)
def test_powers_are_solved(argument: Formula, number: int, launchable: bool) -> None:
    formulas = LaunchFormulas((1, 1, 1), (4, 1, 1), (argument,))
    assert (can_launch(formulas, BLOCK, {0: number}) is not False) is launchable


def test_what_the_grid_is_made_of() -> None:
    formulas = LaunchFormulas((rounded_up(N, 4), 1, None), (4, 1, 1), (None, N, M, 3))
    assert [at for at in range(5) if makes_grid(formulas, at)] == [1]
