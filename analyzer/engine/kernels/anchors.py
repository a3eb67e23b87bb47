"""Places of a kernel, counted from pieces of text that keep them while text around them moves.

In: the definitions of functions of device code. Out: for each place the number of an anchor and
where it lies in it. An anchor is the definition that a place stands in, else the lines themselves.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from ...source.records import dataclass
from .moved_lines import Extent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...ir.kernel import FunctionInfo
    from ...source.text import SourceText, Span


@dataclass(frozen=True, slots=True)
class Anchor:
    """A piece of text from which places in a kernel's findings are counted."""

    source: SourceText
    start: int
    end: int
    is_function: bool = False

    @property
    def lines(self) -> Extent:
        """Where it stands."""
        position = self.source.position
        return Extent(self.source.path, position(self.start)[0], position(self.end)[0])


class Anchors:
    """The anchors of one kernel, in the order in which they are met."""

    def __init__(
        self, functions: Mapping[int, Sequence[Span]], found: Sequence[Anchor] = ()
    ) -> None:
        self._functions = functions  # by the id of their text, in its order
        self.found = list(found)
        self._numbers = {(id(each.source), each.start): n for n, each in enumerate(self.found)}

    def place(self, span: Span) -> tuple[int, int, int]:
        """The number of an anchor, the start behind its own, and the length."""
        around = self._around(span)
        key = (id(around.source), around.start)
        number = self._numbers.get(key)
        if number is None or self.found[number].end < around.end:
            number = self._numbers[key] = len(self.found)
            self.found.append(around)
        return number, span.start - around.start, span.end - span.start

    def known(self, span: Span) -> tuple[int, int, int] | None:
        """The same for a place that lies in what was met; None for another one."""
        around = self._around(span)
        number = self._numbers.get((id(around.source), around.start))
        if number is None or self.found[number].end < span.end:
            return None
        return number, span.start - around.start, span.end - span.start

    def order(self) -> list[int]:
        """Their numbers as they stand in the files: functions by the paths of these, too."""
        texts = {id(each.source): number for number, each in reversed([*enumerate(self.found)])}

        def place(number: int) -> tuple[bool, str, int, int]:
            each = self.found[number]
            path = each.source.path if each.is_function else ""
            return each.is_function, path, texts[id(each.source)], each.start

        return sorted(range(len(self.found)), key=place)

    def _around(self, span: Span) -> Anchor:
        source = span.source
        functions = self._functions.get(id(source), ())
        at = bisect_right(functions, span.start, key=lambda each: each.start) - 1
        if at >= 0 and functions[at].start <= span.start and span.end <= functions[at].end:
            return Anchor(source, functions[at].start, functions[at].end, is_function=True)
        starts = source.line_starts
        first, last = bisect_right(starts, span.start), bisect_right(starts, span.end)
        end = starts[last] if last < len(starts) else len(source.text)
        return Anchor(source, starts[first - 1], end)


def whole_functions(functions: Iterable[FunctionInfo]) -> dict[int, list[Span]]:
    """The definitions by the id of their text, in its order."""
    found: dict[int, list[Span]] = {}
    for each in functions:
        if each.span.source is each.body_span.source:
            whole = each.span.to(each.body_span)
            found.setdefault(id(whole.source), []).append(whole)
    for spans in found.values():
        spans.sort(key=lambda each: each.start)
    return found
