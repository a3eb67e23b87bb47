"""Where an operation of a PTX kernel comes from, without a `Span` until somebody looks.

In: the offsets of a statement, and the frame it is lowered in. Out: a `Location`. Kernels have one
for each of a hundred thousand statements; reports look at a few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.location import Location
from ...source.text import Span

if TYPE_CHECKING:
    from ...source.text import SourceText
    from .frame import Frame


class StatementLocation(Location):
    """The place in the source of a PTX statement."""

    __slots__ = ("_end", "_source", "_start")

    def __init__(self, source: SourceText, start: int, end: int, frame: Frame) -> None:
        self._source = source
        self._start = start
        self._end = end
        self.inlined_at = frame.inlined_at
        self.origin = frame.origin
        self.assembly = False

    @property
    def span(self) -> Span:
        """The characters of the statement."""
        return Span(self._source, self._start, self._end)
