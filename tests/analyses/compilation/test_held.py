"""Values, and parts of aggregates."""

from __future__ import annotations

from warplint.analyzer.analyses.compilation.held import (
    in_register,
    number_held,
    part_of,
    whole,
)

PAIR = whole([(0, 4, in_register(1, 1)), (4, 8, in_register(2, 2))])


def test_parts_are_what_they_were_made_of() -> None:
    assert part_of(PAIR, 0, 4).registers == (1,)
    assert part_of(PAIR, 4, 8).registers == (2,)


def test_what_covers_several_parts_needs_them_all() -> None:
    assert part_of(PAIR, 0, 12).registers == (1, 2)
    assert part_of(whole([(0, 12, PAIR)]), 4, 8).registers == (2,)


def test_a_constant_is_added_for_nothing_until_it_is_needed() -> None:
    value = in_register(3, 1)
    assert value.plus(0) is value
    assert value.is_computed
    assert not value.plus(4).is_computed
    assert value.plus(4).plus(-4) == value


def test_numbers_are_equal_by_value_and_kind() -> None:
    assert number_held(1).key == number_held(1).key
    assert number_held(1).key != number_held(1.0).key
