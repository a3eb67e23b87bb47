"""The source of a kernel with what was found in it: marks in the margin, messages below the lines.

In: a kernel and the anchor of its section. Out: a table with a row for each line. A mark is a link
to its finding; the last column says what the accesses of a line cost. Values that differ between
threads are underlined, by how widely they differ. Of a long kernel only the lines around marks are
shown, of other functions and files those that findings lead to.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from ...analyses.warp_evaluation.uniformity import Uniformity
from ...source.records import dataclass
from ...source.text import text_lines
from ...source.words import percent
from ..formats.gain import all_places
from .drawing import bar
from .highlighting import tokens
from .markup import Html, classes, code_text, element, joined, prose
from .tables import head_row, wide

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ...findings.kernel_sheets import AccessSheet
    from ...source.text import SourceText, Span
    from .detail import Detail
    from .subjects import KernelSubject, Numbered

_MOST_LINES = 400  # of a kernel that is shown as a whole
_AROUND = 3  # lines that are shown around a mark elsewhere
_LITTLE = 0.005  # of the time: less has no bar
_HEAD = ("line", "marks", "source", "cost")
_AGREED = (Uniformity.GRID, Uniformity.BLOCK)  # by all threads of a block

Range = tuple[int, int]  # first and last line


@dataclass(frozen=True, slots=True)
class _Mark:
    """A finding at a line."""

    item: Numbered
    label: str
    said: bool  # the message stands below the line: it is the worst place


def source_listing(subject: KernelSubject, detail: Detail) -> Html:
    """The source on the HTML page: tables of all files of a kernel and its findings, its own
    first.
    """
    own = subject.sheet.header.source
    marks: dict[str, dict[int, list[_Mark]]] = {own.path: {}}
    sources: dict[str, SourceText] = {own.path: own}
    for item in subject.findings:
        for number, (span, label, _) in enumerate(all_places(item.finding)):
            sources.setdefault(span.path, span.source)
            lines = marks.setdefault(span.path, {}).setdefault(span.line, [])
            if all(mark.item is not item for mark in lines):
                lines.append(_Mark(item, label, said=not number))
    parts = []
    for path, source in sources.items():
        listing = _Listing(subject, source, marks[path], detail)
        parts.append(listing.table(titled=path != own.path))
    return joined(parts)


class _Listing:
    """The shown lines of one file."""

    def __init__(
        self,
        subject: KernelSubject,
        source: SourceText,
        marks: Mapping[int, Sequence[_Mark]],
        detail: Detail,
    ) -> None:
        self._subject = subject
        self._source = source
        self._marks = marks
        self._detail = detail
        self._lines = text_lines(source)
        self._accesses = _by_line(subject.sheet.accesses, source)
        self._own = source is subject.sheet.header.source
        self._ranges = self._shown()
        self._coloured = self._colours()

    def table(self, *, titled: bool) -> Html:
        """The lines, with a gap between those that are apart."""
        path = self._source.path
        rows: list[Html] = []
        for first, last in self._ranges:
            if rows:
                gap = element("td", "⋯", colspan="4")
                rows.append(element("tr", gap, class_="gap"))
            for line in range(first, last + 1):
                rows += self._row(line)
        table = element(
            "table",
            element("caption", f"Source of {path}", class_=None if titled else "unseen"),
            element("thead", head_row(_HEAD), class_="unseen"),
            element("tbody", joined(rows)),
            class_="source",
        )
        name = f"Source of {self._subject.sheet.name} in {path}"
        return wide(table, name)

    def _shown(self) -> list[Range]:
        """The ranges of lines, in order, none touching the next."""
        sheet, wanted = self._subject.sheet, list[Range]()
        if self._own:
            body = sheet.body if sheet.body.source is self._source else sheet.header
            first, last = sheet.header.line, body.end_line
            if last - first < _MOST_LINES:
                wanted.append((first, last))
            else:
                wanted.append((first, first + _AROUND))
                wanted += [(line - 1, line + 1) for line in self._accesses]
        for line in self._marks:
            if not any(first <= line <= last for first, last in wanted):
                wanted.append((line - _AROUND, line + _AROUND))
        merged: list[Range] = []
        for first, last in sorted(wanted):
            first, last = max(1, first), min(len(self._lines), last)
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = merged[-1][0], max(last, merged[-1][1])
            else:
                merged.append((first, last))
        return merged

    def _colours(self) -> dict[int, list[tuple[int, int, str]]]:
        """For each line, its ranges of columns (from 0) with their classes."""
        source, found = self._source, dict[int, list[tuple[int, int, str]]]()
        starts, text = source.line_starts, source.text
        ranges: list[tuple[int, int, str]] = []
        for first, last in self._ranges if self._detail.colours else ():
            start = starts[first - 1]
            end = starts[last] if last < len(starts) else len(text)
            ranges += [
                (start + low, start + high, kind)
                for low, high, kind in tokens(text[start:end], self._subject.sheet.language)
            ]
        ranges += [(*_extent(span), kind) for span, kind in self._values()]
        ranges += [
            (*_extent(span), f"mark {item.finding.severity.value}")
            for item in self._items()
            for span in _spans(item, source)
        ]
        for start, end, kind in ranges:
            line = bisect_right(starts, start)
            while line <= len(starts) and starts[line - 1] < end:
                begin = starts[line - 1]
                low, high = max(start - begin, 0), min(end - begin, len(self._lines[line - 1]))
                if start < begin:  # what goes on in this line has no blanks before it
                    shown = self._lines[line - 1]
                    low = len(shown) - len(shown.lstrip())
                if low < high:
                    found.setdefault(line, []).append((low, high, kind))
                line += 1
        return found

    def _items(self) -> Iterable[Numbered]:
        """The findings with a mark in this file, each once, in the order of their marks."""
        items = (mark.item for marks in self._marks.values() for mark in marks)
        return {item.number: item for item in items}.values()

    def _values(self) -> Iterator[tuple[Span, str]]:
        """Where values stand that threads do not agree on."""
        for value in self._subject.sheet.levels:
            if value.span.source is self._source and value.level not in _AGREED:
                yield value.span, "u-warp" if value.level is Uniformity.WARP else "u-lane"

    def _row(self, line: int) -> Iterator[Html]:
        marks = self._marks.get(line, ())
        anchor = f"{self._subject.anchor}-{line}" if self._own else None
        links = joined((_link(mark) for mark in marks), " ")
        number = element("th", str(line), scope="row")
        code = element("td", _pieces(self._lines[line - 1], self._coloured.get(line, [])))
        cost = element("td", _cost(self._accesses.get(line, ())))
        yield element("tr", number, element("td", links), code, cost, id=anchor)
        for mark in filter(_is_said, marks):
            words = element(
                "td",
                element("a", mark.item.finding.rule.code, href=f"#{mark.item.anchor}"),
                " ",
                prose(mark.label or mark.item.finding.text),
                colspan="2",
            )
            kind = mark.item.finding.severity.value
            yield element("tr", element("td"), element("td"), words, class_=f"said {kind}")


def _is_said(mark: _Mark) -> bool:
    return mark.said


def _extent(span: Span) -> Range:
    return span.start, span.end


def _spans(item: Numbered, source: SourceText) -> Iterator[Span]:
    for span, _, _ in all_places(item.finding):
        if span.source is source:
            yield span


def _by_line(accesses: Iterable[AccessSheet], source: SourceText) -> dict[int, list[AccessSheet]]:
    found: dict[int, list[AccessSheet]] = {}
    for access in accesses:
        if access.span.source is source:
            found.setdefault(access.span.line, []).append(access)
    return found


def _link(mark: _Mark) -> Html:
    finding = mark.item.finding
    name = f"{finding.severity.value} {finding.rule.code}"
    return element(
        "a",
        finding.severity.value[0].upper(),
        href=f"#{mark.item.anchor}",
        class_=f"chip {finding.severity.value}",
        aria_label=name,
    )


def _pieces(line: str, ranges: Sequence[tuple[int, int, str]]) -> Html:
    """The line cut where a range begins or ends."""
    if not ranges:
        return code_text(line)
    cuts = sorted({0, len(line), *(low for low, _, _ in ranges), *(high for _, high, _ in ranges)})
    parts = []
    for low, high in pairwise(cuts):
        kinds = dict.fromkeys(kind for first, last, kind in ranges if first <= low and high <= last)
        piece = code_text(line[low:high])
        parts.append(element("span", piece, class_=classes(*kinds)) if kinds else piece)
    return joined(parts)


def _cost(accesses: Sequence[AccessSheet]) -> Html:
    """What the accesses of a line cost: the share of the time, and what is more than ideal."""
    words = list(dict.fromkeys(filter(None, map(cost_words, accesses))))
    share = min(1.0, sum(access.share for access in accesses))
    parts: list[str] = []
    if share >= _LITTLE:
        parts += [bar(share, "heat"), element("span", percent(share), class_="share")]
    return joined((*parts, ", ".join(words)))


def cost_words(access: AccessSheet) -> str:
    """The mark beside a costly access in the listing: `32-way`, `8× sectors`; else nothing."""
    if access.reason:
        return "data decides" if access.bounds else "not judged"
    words = []
    for side in access.sides:
        if side.units > side.ideal:
            unit = "-way" if side.shared else "× sectors"
            words.append(f"{side.units / side.ideal:.2g}{unit}")
    return ", ".join(words)
