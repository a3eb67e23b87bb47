"""Threads of a visit whose addresses are known, as they wait for others to be compared with, the
places that they touch, and which of them are in step whatever they touch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import AccessKind
from ...ir.tiles import TileAccess
from ...source.records import dataclass
from ..warp_evaluation.lane_values import WARP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.operations import MemoryAccess
    from ...ir.tiles import Lines
    from ..block_execution.run_context import AccessEvent
    from ..block_execution.thread_vectors import Threads


@dataclass(slots=True, eq=False)
class AccessGroup:
    """Threads at one access of a run, held back to be compared with others, and from where to where
    in the object they reach.
    """

    event: AccessEvent
    threads: Threads
    must: bool
    low: int
    high: int
    time: int
    most: int  # places that they may touch
    places: Places | None = None  # once somebody asks


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """For each place in memory that an access of a run touches the first and the last thread that
    do.
    """

    first: dict[int, int]
    last: dict[int, int]
    alone: bool  # no place is touched by two threads

    def __len__(self) -> int:
        return len(self.first)

    def shared_with(self, other: Places) -> list[int]:
        """The places that two threads touch, one of each visit."""
        if self.alone and other.alone:
            if self is other or self.first == other.first:
                return []
            first, theirs = self.first, other.first
            return sorted(
                [place for place in first.keys() & theirs if first[place] != theirs[place]]
            )
        common = self.first.keys() & other.first.keys()
        return sorted(
            place
            for place in common
            if not self.first[place] == self.last[place] == other.first[place] == other.last[place]
        )


def touched(
    threads: list[int], addresses: Sequence[int | None], lines: Lines, unit: int
) -> list[tuple[int, int]]:
    """The places in memory that threads at an access touch, each with the thread, to find
    conflicts.
    """
    known = None not in addresses
    if known and lines.count == 1 and lines.length == unit and not any(a % unit for a in addresses):  # type: ignore[operator]
        return list(zip([a // unit for a in addresses], threads, strict=True))  # type: ignore[operator]
    begins = [line * lines.pitch for line in range(lines.count)]
    return [
        (place, thread)
        for thread, address in zip(threads, addresses, strict=True)
        if address is not None
        for begin in begins
        for place in range((address + begin) // unit, -(-(address + begin + lines.length) // unit))
    ]


def ends_of_warps(
    threads: list[int], addresses: list[int | None]
) -> tuple[list[int], list[int | None]]:
    """The first and the last thread of each warp with their addresses, for tiles: any lane may be
    at any element of one.
    """
    found: dict[int, list[int]] = {}
    for index, thread in enumerate(threads):
        found.setdefault(thread // WARP, []).append(index)
    ends = [index for inside in found.values() for index in (inside[0], inside[-1])]
    return [threads[index] for index in ends], [addresses[index] for index in ends]


def are_in_step(first: MemoryAccess, second: MemoryAccess) -> bool:
    """Whether no lane of a warp is at the second access before all have done the first: one loads
    and one is of a tile, which lanes only leave together, or rows that they wait for each other to
    read (`ldmatrix.sync`); or each has its own elements in both.
    """
    if AccessKind.MATRIX_LOAD in (first.kind, second.kind):
        return True
    if not isinstance(first, TileAccess):
        return isinstance(second, TileAccess) and not first.writes
    if not first.writes:
        return True
    return isinstance(second, TileAccess) and first.fragment == second.fragment
