"""When the tiles of a warp have met: between which accesses their lanes are ordered.

In: each exchange of some threads, with the time in the run of a block at which it stands. Out: the
tiles that have met between two times. Not handled: which lanes of a tile took part.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: By the number of lanes in a tile, the numbers of the tiles: a thread's, divided by it.
Tiles = dict[int, frozenset[int]]


class TileBarriers:
    """Which tiles of a block's warps have met since its last barrier: their lanes are ordered."""

    def __init__(self) -> None:
        self._exchanges: dict[int, _Exchanges] = {}  # by lanes

    def add(self, lanes: int, threads: Iterable[int], time: int) -> None:
        """The tiles of so many lanes with these threads meet; later than all before."""
        found = self._exchanges.get(lanes)
        if found is None:
            found = self._exchanges[lanes] = _Exchanges()
        found.add(frozenset([thread // lanes for thread in threads]), time)

    def clear(self) -> None:
        """All threads of the block have met."""
        self._exchanges.clear()

    def between(self, first: int, second: int) -> Tiles:
        """The tiles that have met after the first time and before the second."""
        return {lanes: each.between(first, second) for lanes, each in self._exchanges.items()}


class _Exchanges:
    """The exchanges of the tiles of one size, in the order of time."""

    def __init__(self) -> None:
        self._times: list[int] = []
        self._tiles: list[frozenset[int]] = []
        self._every: frozenset[int] = frozenset()
        self._known: dict[tuple[int, int], frozenset[int]] = {}  # by the first and the one behind

    def add(self, tiles: frozenset[int], time: int) -> None:
        self._times.append(time)
        self._tiles.append(tiles)
        self._every |= tiles

    def between(self, first: int, second: int) -> frozenset[int]:
        span = bisect_right(self._times, first), bisect_left(self._times, second)
        found = self._known.get(span)
        if found is None:
            found = self._known[span] = self._in(*span)
        return found

    def _in(self, start: int, end: int) -> frozenset[int]:
        found: frozenset[int] = frozenset()
        for tiles in self._tiles[start:end]:
            found |= tiles
            if len(found) == len(self._every):
                break
        return found


def in_one(tiles: Tiles, one: int, other: int) -> bool:
    """Whether two threads are lanes of one of these tiles, which have met."""
    return any(
        one // lanes == other // lanes and one // lanes in met for lanes, met in tiles.items()
    )
