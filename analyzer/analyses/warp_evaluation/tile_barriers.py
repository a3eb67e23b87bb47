"""When the tiles of a warp have met: between which accesses their lanes are ordered.

In: each exchange of some threads, with the time in the run of a block at which it stands. Out: the
tiles that have met between two times. Not handled: which lanes of a tile took part.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: By the number of lanes in a tile, the numbers of the tiles: a thread's, divided by it.
Tiles = dict[int, frozenset[int]]


class TileBarriers:
    """What the warps of one block have exchanged since its last barrier."""

    def __init__(self) -> None:
        self._times: dict[int, dict[int, list[int]]] = {}  # by lanes, by tile: when, ascending

    def add(self, lanes: int, threads: Iterable[int], time: int) -> None:
        """The tiles of so many lanes with these threads meet; later than all before."""
        tiles = self._times.setdefault(lanes, {})
        for tile in {thread // lanes for thread in threads}:
            tiles.setdefault(tile, []).append(time)

    def clear(self) -> None:
        """All threads of the block have met."""
        self._times.clear()

    def between(self, first: int, second: int) -> Tiles:
        """The tiles that have met after the first time and before the second."""
        return {
            lanes: frozenset(tile for tile, times in tiles.items() if _any(times, first, second))
            for lanes, tiles in self._times.items()
        }


def in_one(tiles: Tiles, one: int, other: int) -> bool:
    """Whether two threads are in one of these tiles."""
    return any(
        one // lanes == other // lanes and one // lanes in met for lanes, met in tiles.items()
    )


def _any(times: list[int], first: int, second: int) -> bool:
    later = bisect_right(times, first)
    return later < len(times) and times[later] < second
