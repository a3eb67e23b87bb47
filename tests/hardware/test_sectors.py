"""The sector model against an H200, and against counting bytes one by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.hardware.sectors import global_sectors

PROBES: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "h200_probes.json").read_text()
)


@pytest.mark.parametrize("operation", PROBES["global"])
def test_all_probe_patterns(operation: str) -> None:
    measured = [
        PROBES["global"][operation][key].split() for key in ("sectors", "ideal", "lines128")
    ]
    digits = operation.removeprefix("gl_ld").removeprefix("gl_st")
    width = int(digits) if digits.isdigit() else 4
    for (name, slots), *expected in zip(PROBES["patterns"].items(), *measured, strict=True):
        shape = [None if slot == "-" else int(slot) * width for slot in slots.split()]
        use = global_sectors(shape, width)
        assert [use.sectors, use.ideal, use.lines] == [int(number) for number in expected], name


@given(
    st.lists(st.none() | st.integers(-500, 5000), max_size=32),
    st.sampled_from([1, 2, 4, 8, 16, 32]),
)
def test_by_counting_bytes(shape: list[int | None], width: int) -> None:
    touched = {byte for start in shape if start is not None for byte in range(start, start + width)}
    use = global_sectors(shape, width)
    assert use.sectors == len({byte // 32 for byte in touched})
    assert use.lines == len({byte // 128 for byte in touched})
    assert use.bytes_used == len(touched)
    assert use.ideal <= use.sectors


@pytest.mark.parametrize(
    ("width", "stride", "start", "sectors", "ideal"),
    [
        (4, 4, 0, 4, 4),  # coalesced
        (4, 4, 4, 5, 4),  # shifted by one float
        (4, 4, 32, 4, 4),  # shifted by eight floats: free
        (4, 12, 0, 12, 4),  # a component of float3
        (4, 24, 0, 24, 4),  # a field of a struct of 24 bytes
        (4, 128, 0, 32, 4),  # a column of float [32][32]
        (4, 0, 0, 1, 1),  # one address for all
    ],
)
def test_patterns_measured_by_name(
    width: int, stride: int, start: int, sectors: int, ideal: int
) -> None:
    use = global_sectors([start + stride * lane for lane in range(32)], width)
    assert (use.sectors, use.ideal) == (sectors, ideal)


def test_no_active_lane() -> None:
    use = global_sectors([None] * 32, 4)
    assert (use.sectors, use.ideal, use.ratio, use.bytes_per_sector) == (0, 0, 1.0, 0.0)


def test_the_quotients() -> None:
    use = global_sectors([12 * lane for lane in range(32)], 4)
    assert (use.ratio, use.excessive) == (3.0, 8)
    assert use.bytes_per_sector == pytest.approx(128 / 12)


def test_an_impossible_width_is_refused() -> None:
    with pytest.raises(ValueError, match="not 0"):
        global_sectors([0], 0)
