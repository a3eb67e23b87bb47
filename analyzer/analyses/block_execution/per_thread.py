"""One integer for each thread of a block, as one number that Python adds and multiplies at once.

In: the entries, or a packed number with bounds. Out: either view, made when it is first asked for.
The packed number is the sum of `entry << 64 * thread` with the signs of the entries: sums,
differences and multiples of vectors are those of the packed numbers, and its bytes are the lanes of
a SIMD register (Lamport, "Multiple Byte Processing with Full-Word Instructions", 1975).
`low` and `high` bound the entries; they need not be met. None stands for an entry that is not
known; such a vector, or one whose entries are beyond 62 bits, has no packed view.
"""

from __future__ import annotations

from functools import cache
from struct import Struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LANE = 64  # bits
MOST = 1 << (LANE - 2)  # beyond any entry that is packed: differences still fit into a lane


@cache
def ones(count: int) -> int:
    """A packed 1 for every thread of a block."""
    return int.from_bytes((1).to_bytes(LANE // 8, "little") * count, "little")


@cache
def _signs(count: int) -> int:
    """The highest bit of every lane."""
    return ones(count) << (LANE - 1)


@cache
def _lanes(count: int) -> Struct:
    return Struct(f"<{count}q")


class PerThread:
    """An immutable vector of integers, one for each thread of a block."""

    __slots__ = ("_entries", "_packed", "count", "high", "known", "low")
    low: int
    high: int

    def __init__(
        self,
        entries: tuple[int | None, ...] | None,
        packed: int | None = None,
        low: int = 0,
        high: int = 0,
        count: int = 0,
    ) -> None:
        self._entries, self._packed = entries, packed
        self.low, self.high, self.count = low, high, count
        self.known = True
        if entries is not None:
            self.count, self.known = len(entries), None not in entries
            self.tighten()

    @classmethod
    def unpacked(cls, packed: int, low: int, high: int, count: int) -> PerThread:
        """The vector of a packed number, all entries of which lie within these bounds."""
        return cls(None, packed, low, high, count)

    @property
    def entries(self) -> tuple[int | None, ...]:
        """One entry per thread."""
        if self._entries is None:
            assert self._packed is not None
            lanes, packed = _lanes(self.count), self._packed
            if self.low < 0:
                packed = (packed + _signs(self.count)) ^ _signs(self.count)
            self._entries = lanes.unpack(packed.to_bytes(lanes.size, "little"))
        return self._entries

    @property
    def packed(self) -> int | None:
        """All entries in one number; None where one is not known, or too large."""
        if self._packed is None and self.known and self.low > -MOST and self.high < MOST:
            packed = int.from_bytes(_lanes(self.count).pack(*self.entries), "little")
            if self.low < 0:
                packed = (packed ^ _signs(self.count)) - _signs(self.count)
            self._packed = packed
        return self._packed

    def tighten(self) -> None:
        """The bounds become those of the entries."""
        if self.known:
            self.low = min(self.entries)  # type: ignore[type-var,assignment]
            self.high = max(self.entries)  # type: ignore[type-var,assignment]

    def __iter__(self) -> Iterator[int | None]:
        return iter(self.entries)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PerThread):
            return NotImplemented
        packed = self.packed
        if packed is None or other.packed is None:
            return self.entries == other.entries
        return packed == other.packed and self.count == other.count

    def __hash__(self) -> int:
        return hash(self.entries if self.packed is None else self.packed)

    def __repr__(self) -> str:
        return f"PerThread({self.entries})"


def at_least(first: int, second: int, count: int) -> int:
    """A packed 1 for every thread of a block whose entry of `first` is not less than that of
    `second`.
    """
    return ((first - second + _signs(count)) >> (LANE - 1)) & ones(count)


def as_flags(packed: int, count: int) -> bytes:
    """One byte per thread of a block, of a packed vector of zeros and ones."""
    return packed.to_bytes(count * (LANE // 8), "little")[:: LANE // 8]
