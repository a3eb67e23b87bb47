"""The lane a shuffle reads from, against the CUDA C++ Programming Guide's words for it."""

from __future__ import annotations

import pytest

from warplint.analyzer.analyses.warp_evaluation.shuffle_sources import source_lane
from warplint.analyzer.ir.operation_kinds import WarpKind

WIDTHS = (1, 2, 4, 8, 16, 32)


def in_words(mode: str, lane: int, distance: int, width: int) -> int:
    """The lanes of a group of `width`, as a list: what is beyond its ends is the lane's own."""
    group = list(range(lane // width * width, lane // width * width + width))
    place = lane % width
    if mode == "idx":
        return group[distance % width]
    if mode == "bfly":
        other = lane ^ distance
        return other if other <= group[-1] else lane
    other = place + (distance if mode == "down" else -distance)
    return group[other] if 0 <= other < width else lane


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("mode", ["idx", "up", "down", "bfly"])
def test_the_source_is_the_one_of_the_guide(mode: str, width: int) -> None:
    control = (32 - width) << 8 | (0 if mode == "up" else 31)
    kind = WarpKind(f"shfl.{mode}")
    for lane in range(32):
        for distance in range(32):
            found = source_lane(kind, lane, distance, control)
            assert found == in_words(mode, lane, distance, width), (lane, distance)
