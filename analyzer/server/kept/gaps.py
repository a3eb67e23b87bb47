"""Texts without some pieces of the first one, and places that count nothing of those pieces.

In: the texts of a unit, and the pieces. Out: the text around the pieces, a digest of all that is
left and of where its functions are, and places: the number of a text, and an offset in it that does
not count pieces. They are the same as long as the digest is, whatever the pieces hold.
"""

from __future__ import annotations

from bisect import bisect_left
from hashlib import sha256
from itertools import accumulate
from operator import sub
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...source.text import SourceText, Span

Place = tuple[int, int]  # the number of a text, and the offset without pieces


class Gaps:
    """What is around pieces of an edited text that do not overlap, in the order of the text."""

    def __init__(
        self,
        sources: Sequence[SourceText],
        pieces: Sequence[tuple[int, int]],
        beside: str,
        functions: Sequence[tuple[int, int]] = (),
    ) -> None:
        """`functions` are where those of the first text were found: a bracket too many in a piece
        moves the ends of others.
        """
        self._sources = sources
        self._numbers = {id(each): number for number, each in enumerate(sources)}
        self._starts = [start for start, _ in pieces]
        self._ends = [end for _, end in pieces]
        lengths = map(sub, self._ends, self._starts)
        self._before = [0, *accumulate(lengths)]  # of the pieces before each one, and of all
        self._begins = list(map(sub, self._starts, self._before))  # without those before
        main = sources[0].text
        around = zip([0, *self._ends], [*self._starts, len(main)], strict=True)
        self.text = "\0".join(main[start:end] for start, end in around)
        hashed = sha256(as_bytes(beside))
        hashed.update(as_bytes(self.text))
        for each in sources[1:]:
            hashed.update(as_bytes(f"\0{each.path}\0{each.text}"))
        edges = (edge for function in functions for edge in function)
        hashed.update(as_bytes(repr([self.place(sources[0], edge) for edge in edges])))
        self.digest = hashed.digest()

    def place(self, source: SourceText, offset: int) -> Place | None:
        """The place of an offset; None for one inside of a piece."""
        number = self._numbers.get(id(source))
        if number is None or number > 0:
            return None if number is None else (number, offset)
        before = bisect_left(self._starts, offset)
        if before < len(self._starts) and self._starts[before] == offset:
            return None
        if before and offset <= self._ends[before - 1]:
            return None
        return 0, offset - self._before[before]

    def offset(self, place: Place) -> tuple[SourceText, int]:
        """Where a place is in these texts."""
        number, offset = place
        if number == 0:
            offset += self._before[bisect_left(self._begins, offset)]
        return self._sources[number], offset

    def covered(self, span: Span) -> Sequence[int]:
        """The starts of the pieces that lie in a span."""
        if span.source is not self._sources[0]:
            return ()
        return self._starts[
            bisect_left(self._starts, span.start) : bisect_left(self._starts, span.end)
        ]


def as_bytes(text: str) -> bytes:
    """The bytes of a text that an editor's process hashes, to see whether it changed."""
    return text.encode("utf-8", "surrogatepass")
