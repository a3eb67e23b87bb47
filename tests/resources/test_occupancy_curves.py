"""Curves and cliffs against asking for every single value."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.hardware.architectures import known_architectures
from warplint.analyzer.resources.occupancy import (
    BlockResources,
    Occupancy,
    block_occupancy,
    occupancy,
    shared_allowed,
)
from warplint.analyzer.resources.occupancy_curves import (
    Amount,
    cliffs,
    curve,
    largest_for_all_warps,
)

launches = st.builds(
    block_occupancy,
    st.sampled_from(known_architectures()),
    st.builds(
        BlockResources,
        threads=st.integers(1, 512),
        registers=st.integers(1, 63),
        static_shared=st.integers(0, 4000),
        dynamic_shared=st.integers(0, 4000),
    ),
)


def warps(current: Occupancy, amount: Amount, value: int) -> int:
    """Resident warps at one value, asked for directly."""
    block = replace(current.block, **{amount.value: value})
    return block_occupancy(current.architecture, block).warps


def limit(current: Occupancy, amount: Amount) -> int:
    """The largest value that the architecture allows."""
    arch, block = current.architecture, current.block
    return {
        Amount.THREADS: arch.threads_per_block,
        Amount.REGISTERS: arch.registers_per_thread,
        Amount.DYNAMIC_SHARED: shared_allowed(arch, block) - block.static_shared,
    }[amount]


@given(launches, st.sampled_from(Amount))
def test_a_cliff_is_the_nearest_change(current: Occupancy, amount: Amount) -> None:
    value = getattr(current.block, amount.value)
    found = cliffs(current, amount)
    least = 0 if amount is Amount.DYNAMIC_SHARED else 1
    above = found.above.value if found.above else min(limit(current, amount), value + 300) + 1
    below = found.below.value if found.below else max(least, value - 300) - 1
    assert below < value < above
    near = [each for each in range(below + 1, above) if abs(each - value) <= 300]
    assert {warps(current, amount, each) for each in near} <= {current.warps}
    for point in (found.below, found.above):
        if point is not None:
            assert point.occupancy.warps == warps(current, amount, point.value) != current.warps


@given(launches, st.sampled_from(Amount))
def test_a_curve_ascends_to_the_limit(current: Occupancy, amount: Amount) -> None:
    values = [point.value for point in curve(current, amount)]
    assert values == sorted(set(values))
    assert all(0 <= value <= limit(current, amount) for value in values)


@pytest.mark.parametrize(
    ("arch", "threads", "registers"), [("9.0", 256, 32), ("8.6", 256, 40), ("7.5", 256, 64)]
)
def test_what_full_occupancy_needs(arch: str, threads: int, registers: int) -> None:
    current = occupancy(arch, threads=threads, registers=20)
    assert largest_for_all_warps(current, Amount.REGISTERS) == registers
    most = largest_for_all_warps(current, Amount.DYNAMIC_SHARED)
    assert most is not None
    assert warps(current, Amount.DYNAMIC_SHARED, most) == current.architecture.warps_per_sm
    assert warps(current, Amount.DYNAMIC_SHARED, most + 1) < current.architecture.warps_per_sm


def test_no_register_count_fills_an_odd_block() -> None:
    current = occupancy("8.6", threads=1024, registers=32)
    assert largest_for_all_warps(current, Amount.REGISTERS) is None
    assert largest_for_all_warps(current, Amount.THREADS) == 768
