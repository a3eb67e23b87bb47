"""Sizes that are tried: each brings to light what it is there for."""

from __future__ import annotations

import itertools

from analyses.kernels import body_facts
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.launch.sizes_to_try import (
    EVEN,
    LONG,
    LONGER,
    ODD,
    Spread,
    parting,
    too_small,
)

LIMIT = (1 << 31) - 1


@given(st.sampled_from([*EVEN, *ODD, Spread(3, 1)]), st.integers(2, 20))
def test_spread_sizes_differ_and_so_do_their_differences(spread: Spread, count: int) -> None:
    sizes = [spread.at(place, LIMIT) for place in range(count)]
    steps = [after - before for before, after in itertools.pairwise(sizes)]
    assert sorted(set(sizes)) == sizes
    assert sorted(set(steps)) == steps
    assert spread.at(count, 7) == min(7, spread.at(count, LIMIT))


def test_smaller_spreads_follow_larger_ones_and_stay_even_or_odd() -> None:
    for spreads, rest in ((EVEN, 0), (ODD, 1)):
        firsts = [each.first for each in spreads]
        assert firsts == sorted(firsts, reverse=True)
        assert all(each.first % 2 == rest for each in spreads)
        assert all(each.step % 2 == 0 for each in spreads)


def test_long_sizes_are_whole_sectors_and_their_products_numbers() -> None:
    assert LONG % 32 == LONGER % 32 == 0
    assert LONG * LONGER * LONG <= LIMIT


@given(st.sampled_from([(256, 1, 1), (32, 8, 1), (2, 64, 1), (1, 1, 1), (1024, 1, 1)]))
def test_some_sizes_part_a_block(block: tuple[int, int, int]) -> None:
    launch = body_facts("p[n] = 1;", block).launches[0].launch
    x, y, z = block
    assert 0 < too_small(launch) <= max(block)
    fourfold = too_small(launch, 4)
    assert fourfold % 4 == 0
    assert too_small(launch) <= fourfold < too_small(launch) + 4
    assert len(set(parting(launch))) == len(parting(launch))
    assert block == (1, 1, 1) or any(0 < size < x * y * z for size in parting(launch))
