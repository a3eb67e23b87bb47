"""Occupancy against cuda_occupancy.h, NVIDIA's calculator, and the driver of an H200."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import warplint
from warplint.analyzer.hardware.architectures import known_architectures
from warplint.analyzer.resources.occupancy import (
    BlockResources,
    Resource,
    block_occupancy,
    occupancy,
)
from warplint.analyzer.resources.occupancy_table import INPUTS, answer_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.hardware.architectures import Architecture

DATA = Path(__file__).parents[1] / "data"


def rows(name: str) -> Iterator[dict[str, str]]:
    with gzip.open(DATA / f"{name}.csv.gz", "rt", encoding="utf-8") as stream:
        yield from csv.DictReader(stream)


def test_every_row_of_nvidias_calculators() -> None:
    expected = list(rows("occupancy"))
    asked = [{column: row[column] for column in INPUTS} for row in expected]
    assert list(answer_rows(asked)) == expected
    assert len(expected) == 6045


def test_every_answer_of_the_driver() -> None:
    document: dict[str, Any] = json.loads((DATA / "h200_occupancy.json").read_text())
    threads = [int(number) for number in document["threads"].split()]
    dynamic = [int(number) for number in document["dynamic_shared"].split()]
    count = 0
    for kernel in document["kernels"]:
        for each, line in zip(threads, kernel["blocks"], strict=True):
            blocks = [
                occupancy(
                    90,
                    threads=each,
                    registers=kernel["registers"],
                    static_shared=kernel["static_shared"],
                    dynamic_shared=size,
                    opt_in=True,
                ).blocks
                for size in dynamic
            ]
            assert blocks == [int(number) for number in line.split()], (kernel["name"], each)
            count += len(blocks)
    assert count == 11_856


#: Beginning of the reason, and the column with the answer that we chose; the module says why.
DECISIONS = {
    "CC 1.x odd warp count": "blocks_per_sm",
    "registers 21,22,29,30,37,38,45,46": "blocks_per_sm",
    "over the documented 124 registers/thread": "blocks_per_sm",
    "over the documented 63 registers/thread": "blocks_per_sm",
    "opt-in limit of CC 7.2": "blocks_per_sm",
    "CC 3.2 registers per block": "blocks_per_sm",
    "256 registers/thread": "alt_blocks_per_sm",
    "static shared memory over 48 KB": "alt_blocks_per_sm",
    "documented 63 registers/thread on CC 3.0": "alt_blocks_per_sm",
    "prefer-L1 (16 KB) but the block needs more": "alt_blocks_per_sm",
}


def test_disputed_rows_are_decided_the_documented_way() -> None:
    counts: Counter[str] = Counter()
    for row in rows("occupancy_disputed"):
        (decision,) = [each for each in DECISIONS if row["reason"].startswith(each)]
        (answered,) = answer_rows([row])
        assert answered["blocks_per_sm"] == row[DECISIONS[decision]], row
        counts[decision] += 1
    assert set(counts) == set(DECISIONS)
    assert counts.total() == 319


@pytest.mark.parametrize(
    ("arch", "threads", "registers", "blocks"),
    [
        # The launch check rounds warps up to a multiple of four.
        ("9.0", 288, 224, 0),
        ("9.0", 768, 111, 0),
        # Registers are limited per sub-partition.
        ("9.0", 32, 79, 24),
        ("9.0", 32, 175, 8),
        # 100 % on 1,536 threads needs 40 registers, not 42.
        ("8.6", 256, 40, 6),
        ("8.6", 256, 41, 5),
        ("1.0", 256, 10, 3),
        ("1.0", 256, 11, 2),
    ],
)
def test_register_cliffs(arch: str, threads: int, registers: int, blocks: int) -> None:
    assert occupancy(arch, threads=threads, registers=registers).blocks == blocks


def test_a_kernel_without_shared_memory_still_takes_the_reserve() -> None:
    usual = occupancy("sm_90", threads=32, registers=16)
    assert (usual.shared_per_block, usual.blocks) == (1024, 32)
    assert occupancy("sm_90", threads=32, registers=16, carveout=0).blocks == 8


def test_named_barriers_limit_blocks() -> None:
    crowded = occupancy("sm_120", threads=32, registers=16, barriers=16)
    assert (crowded.blocks, crowded.limiters) == (1, {Resource.BARRIERS})


def test_the_names_of_the_founding_example() -> None:
    tile = occupancy("1.0", threads=256, registers=10, static_shared=2048)
    assert (tile.limits[Resource.SHARED], tile.blocks, tile.fraction) == (8, 3, 1.0)


def test_the_interface_of_the_package() -> None:
    assert warplint.occupancy is occupancy
    with pytest.raises(AttributeError, match="no attribute 'occupancies'"):
        warplint.occupancies  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize(
    "wrong",
    [
        {"threads": 0},
        {"registers": -1},
        {"dynamic_shared": -1},
        {"carveout": 101},
        {"cache": "most"},
        {"barriers": -1},
    ],
)
def test_what_no_launch_can_mean_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must be|is not a valid"):
        occupancy(90, **{"threads": 32, "registers": 16} | wrong)


blocks = st.builds(
    BlockResources,
    threads=st.integers(1, 1024),
    registers=st.integers(1, 255),
    static_shared=st.integers(0, 49152),
    dynamic_shared=st.integers(0, 200_000),
    opt_in=st.booleans(),
    barriers=st.integers(0, 16),
)


@given(st.sampled_from(known_architectures()), blocks)
def test_what_is_resident_fits(arch: Architecture, block: BlockResources) -> None:
    result = block_occupancy(arch, block)
    assert result.warps <= arch.warps_per_sm
    assert result.blocks * result.shared_per_block <= arch.shared_per_sm
    assert result.blocks * result.registers_per_block <= arch.registers_per_sm
    assert result.limiters
