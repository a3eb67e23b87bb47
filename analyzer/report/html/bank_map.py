"""The banks that a warp goes to: lanes against banks, and memory as the banks see it.

In: a side of an access in shared memory, as the worst warp executes it. Out: a figure of two
pictures. On the left a row for each lane, coloured by bank. On the right a row for each 128 bytes
of memory that the lanes touch which are served together, 32 banks wide: words of one row are read
together, words of one column wait for each other; the colour and the columns below say how many a
bank has to serve.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING

from ...hardware.architectures import architecture
from ...source.words import plural
from .drawing import cells, figure, label, picture
from .markup import Html, element, joined

if TYPE_CHECKING:
    from ...findings.kernel_sheets import AccessSheet, SideSheet

_CELL = 9
_LEFT, _TOP = 34, 16
_BARS = 40  # height of the columns
_LEVELS = (1, 2, 4, 8, 16)  # words that a bank serves: from each on another colour
_MOST_ROWS = 40


def bank_map(access: AccessSheet, side: SideSheet, arch: int) -> Html:
    """The two pictures of an access's banks on the HTML page, side by side."""
    layout = architecture(arch).shared_memory
    lanes = {
        lane: _words(offset, side.width, layout.bank_bytes)
        for lane, offset in enumerate(side.offsets)
        if offset is not None
    }
    pair = element(
        "div",
        _lanes(lanes, len(side.offsets), layout.banks),
        _memory(lanes, side, layout.banks, layout.bank_bytes),
        class_="pair",
    )
    return figure(_caption(access, side), pair)


def _caption(access: AccessSheet, side: SideSheet) -> str:
    units = plural(side.units, "wavefront")
    much = f"{side.units / side.ideal:.3g}-way bank conflict: " if side.units > side.ideal else ""
    where = f"line {access.span.line}, {access.operation} of {access.object or 'shared memory'}"
    return f"{where}: {much}{units}, ideal {side.ideal} (warp {side.warp})"


def _words(offset: int, width: int, size: int) -> range:
    return range(offset // size, (offset + max(width, 1) - 1) // size + 1)


def _lanes(lanes: dict[int, range], count: int, banks: int) -> Html:
    places: dict[int, list[tuple[float, float, float, float]]] = defaultdict(list)
    for lane, words in lanes.items():
        for word in words:
            places[word % banks].append(_cell(word % banks, lane))
    paths = [
        element("path", d=cells(each), class_=f"b{bank % 32}") for bank, each in places.items()
    ]
    height = _TOP + count * _CELL + 4
    rows = [
        label(str(lane), _LEFT - 5, _TOP + lane * _CELL + 8, class_="end")
        for lane in range(0, count, 8)
    ]
    reached = plural(len(places), "bank")
    return picture(
        f"{plural(len(lanes), 'lane')} of the warp go to {reached}",
        (_LEFT + banks * _CELL + 2, height),
        _frame(banks, count),
        *_bank_numbers(banks, "lane"),
        *rows,
        *paths,
    )


def _memory(lanes: dict[int, range], side: SideSheet, banks: int, size: int) -> Html:
    together = {lane: lanes[lane] for lane in side.together if lane in lanes}
    words = {word for each in together.values() for word in each}
    served: dict[int, int] = defaultdict(int)
    for word in chain.from_iterable(together.values()) if side.in_turn else words:
        served[word % banks] += 1
    rows = sorted({word // banks for word in words})
    shown = {row: at for at, row in enumerate(rows[:_MOST_ROWS])}
    places: dict[int, list[tuple[float, float, float, float]]] = defaultdict(list)
    for word in sorted(words):
        row = shown.get(word // banks)
        if row is not None:
            places[_level(served[word % banks])].append(_cell(word % banks, row))
    paths = [element("path", d=cells(each), class_=f"c{level}") for level, each in places.items()]
    bottom = _TOP + len(shown) * _CELL
    most = max(served.values(), default=1)
    columns = [
        (bank * _CELL + _LEFT + 1.0, bottom + 6.0, _CELL - 2.0, number / most * _BARS)
        for bank, number in sorted(served.items())
    ]
    numbers = [
        label(str(row * banks * size), _LEFT - 5, _TOP + at * _CELL + 8, class_="end")
        for row, at in shown.items()
        if at % 8 == 0
    ]
    unit = "lane" if side.in_turn else "word"
    whole = len(together) == len(lanes)
    who = "" if whole else f"{plural(len(together), 'lane')} at a time: "
    words_of = f"{who}at most {plural(most, unit)} of one bank"
    more = f", {plural(len(rows) - len(shown), 'more row')}" if len(rows) > len(shown) else ""
    return picture(
        f"{plural(len(words), 'word')} in {plural(len(rows), 'row')} of memory, {words_of}{more}",
        (_LEFT + banks * _CELL + 2, bottom + 6 + _BARS + 16),
        _frame(banks, len(shown)),
        *_bank_numbers(banks, "byte"),
        *numbers,
        *paths,
        element("path", d=cells(columns), class_="column"),
        label(words_of + more, _LEFT, bottom + 6 + _BARS + 12),
    )


def _level(served: int) -> int:
    return sum(served >= least for least in _LEVELS)


def _cell(column: int, row: int) -> tuple[float, float, float, float]:
    return _LEFT + column * _CELL + 0.5, _TOP + row * _CELL + 0.5, _CELL - 1, _CELL - 1


def _frame(banks: int, rows: int) -> Html:
    return element(
        "rect", x=_LEFT, y=_TOP, width=banks * _CELL, height=rows * _CELL, class_="ground"
    )


def _bank_numbers(banks: int, left: str) -> list[Html]:
    numbers = [label(str(bank), _LEFT + bank * _CELL, _TOP - 4) for bank in range(0, banks, 8)]
    return [label(left, _LEFT - 9, _TOP - 4, class_="end"), joined(numbers)]
