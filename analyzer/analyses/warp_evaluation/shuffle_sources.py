"""Which lane a shuffle reads from (PTX ISA 9.7.9.6, "shfl.sync").

In: a kind of shuffle, a lane, the distance or index, and the operand c of PTX, which holds the
segment of the warp and the last lane in it. Out: the lane that is read, the lane's own where there
is none.
"""

from __future__ import annotations

from ...ir.operation_kinds import WarpKind
from .lane_values import WARP


def control_of(mode: WarpKind, width: int) -> int:
    """The operand c of a PTX shuffle for CUDA's width."""
    return (WARP - width) << 8 | (0 if mode is WarpKind.SHUFFLE_UP else 31)


def source_lane(mode: WarpKind, lane: int, distance: int, control: int) -> int:
    """The lane that a shuffle reads from, its own where there is none (PTX ISA 9.7.9.6)."""
    segment, clamp = control >> 8 & 31, control & 31
    distance &= 31
    last = (lane & segment) | (clamp & ~segment)
    if mode is WarpKind.SHUFFLE_UP:
        source = lane - distance
        return source if source >= last else lane
    if mode is WarpKind.SHUFFLE_DOWN:
        source = lane + distance
    elif mode is WarpKind.SHUFFLE_XOR:
        source = lane ^ distance
    else:
        source = (lane & segment) | (distance & ~segment & 31)
    return source if source <= last else lane
