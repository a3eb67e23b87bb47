"""The suppressions of one file, found by the lines that they speak of.

In: the text, the parts of it that no condition keeps, and which rules a word means. Out: for a
place and a rule the first comment that covers it; all that do are marked as used. Comments that
speak of the same lines are asked once for each rule, so that time grows with comments and findings
and not with their product. One in text that no condition keeps (`#if 0`) is no part of the program:
it covers only what another file that includes it finds there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import field
from operator import itemgetter
from typing import TYPE_CHECKING

from ..findings.suppressions import read_suppressions
from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..findings.suppressions import Suppression
    from ..source.text import SourceText, Span

_NARROW = 8  # lines of a suppression that is kept with each of them

_Numbered = tuple[int, "Suppression"]


@dataclass(slots=True)
class _Group:
    """The suppressions that speak of the same lines, with their numbers in the file."""

    first: int
    last: int
    around: Span | None  # the text around them that no condition keeps
    items: list[_Numbered] = field(default_factory=list)
    answers: dict[str, _Numbered | None] = field(default_factory=dict)  # by rule: the first one

    def covers(self, span: Span) -> bool:
        if self.first > span.end_line or span.line > self.last:
            return False
        around = self.around
        return around is None or (around.start <= span.start and span.end <= around.end)


class FileSuppressions:
    """The suppressions of one file, and which of their words were of use."""

    def __init__(
        self,
        source: SourceText,
        unread: Sequence[Span],
        codes_of: Callable[[str], frozenset[str]],
    ) -> None:
        self.found, self.flaws = read_suppressions(source)
        self.used: set[int] = set()  # where the words begin
        self._codes_of = codes_of
        self._unread = sorted(unread, key=lambda each: each.start)
        self._starts = [each.start for each in self._unread]
        self._wide: list[_Group] = []
        self._narrow: dict[int, list[_Group]] = {}  # by line
        self._sort()
        self._lines = sorted(self._narrow)

    def suppressor(self, span: Span, code: str) -> Suppression | None:
        """The first comment that covers what a rule says of a place."""
        found = [self._answer(group, code) for group in self._covering(span)]
        return min(filter(None, found), key=itemgetter(0), default=(0, None))[1]

    def around(self, span: Span) -> Span | None:
        """The text around a place that no condition keeps."""
        number = bisect_right(self._starts, span.start) - 1
        if number < 0 or span.start >= self._unread[number].end:
            return None
        return self._unread[number]

    def _sort(self) -> None:
        groups: dict[tuple[int, int, Span | None], _Group] = {}
        for number, item in enumerate(self.found):
            key = (item.first, item.last, self.around(item.span))
            groups.setdefault(key, _Group(*key)).items.append((number, item))
        for group in groups.values():
            if group.last - group.first >= _NARROW:
                self._wide.append(group)
                continue
            for line in range(group.first, group.last + 1):
                self._narrow.setdefault(line, []).append(group)

    def _covering(self, span: Span) -> Iterator[_Group]:
        start = bisect_left(self._lines, span.line)
        stop = bisect_right(self._lines, span.end_line, start)
        narrow = (group for line in self._lines[start:stop] for group in self._narrow[line])
        yield from (group for group in narrow if group.covers(span))
        yield from (group for group in self._wide if group.covers(span))

    def _answer(self, group: _Group, code: str) -> _Numbered | None:
        if code not in group.answers:
            meant = [
                (number, item, selector.span.start)
                for number, item in group.items
                for selector in item.selectors
                if code in self._codes_of(selector.text)
            ]
            self.used |= {start for _, _, start in meant}
            group.answers[code] = meant[0][:2] if meant else None
        return group.answers[code]
