"""Types that are known by their names: cooperative groups and the collectives of CUB.

In: the name of a class that the file does not define. Out: its type; None for other names.
"""

from __future__ import annotations

from ....ir.operations import BarrierKind
from ..model.ctypes import CType, Form

GROUP_BARRIERS = {
    "thread_block": BarrierKind.BLOCK,
    "thread_block_tile": BarrierKind.WARP,
    "coalesced_group": BarrierKind.WARP,
    "thread_group": None,
    "grid_group": BarrierKind.GRID,
    "multi_grid_group": BarrierKind.GRID,
    "cluster_group": BarrierKind.CLUSTER,
}


def group_type(name: str, size: int | None = None) -> CType:
    """The type of a group; the tile's size is its extent."""
    return CType(Form.CLASS, name, extent=size)


def is_group(type: CType) -> bool:
    """Whether a type is a cooperative group."""
    return type.form is Form.CLASS and type.name in GROUP_BARRIERS


def is_group_name(name: str) -> bool:
    """Whether a class name is a cooperative group's."""
    return name in GROUP_BARRIERS


#: Class templates of CUB whose methods are executed by a whole block or a whole warp.
COLLECTIVES = {
    **dict.fromkeys(
        (
            "BlockAdjacentDifference",
            "BlockDiscontinuity",
            "BlockExchange",
            "BlockHistogram",
            "BlockMergeSort",
            "BlockRadixSort",
            "BlockReduce",
            "BlockScan",
            "BlockShuffle",
        ),
        BarrierKind.BLOCK,
    ),
    **dict.fromkeys(("WarpExchange", "WarpMergeSort", "WarpReduce", "WarpScan"), BarrierKind.WARP),
}


def collective_type(name: str) -> CType | None:
    """The type of a CUB collective; its template arguments do not matter here."""
    return CType(Form.CLASS, name) if name in COLLECTIVES else None


def is_collective(type: CType) -> bool:
    """Whether a type is a CUB collective."""
    return type.form is Form.CLASS and type.name in COLLECTIVES
