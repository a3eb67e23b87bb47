"""Registers that cost no occupancy: as the occupancy calculator says it."""

from __future__ import annotations

import pytest

from warplint.analyzer.resources.occupancy import occupancy
from warplint.analyzer.resources.register_cap import free_registers


@pytest.mark.parametrize(
    ("threads", "resident", "most"),
    [
        (0, 2048, 32),  # of any size: all threads can be resident
        (0, 1536, 40),
        (256, 2048, 32),
        (256, 1536, 40),
        (1024, 2048, 32),
        (1024, 1536, 64),  # one block, and a second one would not fit
        (768, 2048, 40),
        (320, 1536, 48),
        (32, 2048, 64),  # no more than 32 blocks
        (1, 1536, 80),  # no more than 24, each of a warp
    ],
)
def test_registers_are_free_up_to_where_a_block_less_is_resident(
    threads: int, resident: int, most: int
) -> None:
    assert free_registers(threads, resident) == most


def test_free_registers_keep_as_many_blocks_resident_as_none_would() -> None:
    """Of 32 to 1,024 threads, by the occupancy that the calculator says."""
    for threads in range(32, 1025, 32):
        most = free_registers(threads, 2048)
        fewest, filled, beyond = (
            occupancy(90, threads=threads, registers=registers).blocks
            for registers in (8, most, most + 1)
        )
        assert fewest == filled > beyond
