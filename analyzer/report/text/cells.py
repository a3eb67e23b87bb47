"""Text as a terminal shows it: one line laid out in cells.

In: a line of source. Out: text that is safe to print, with the cell at which each character
begins, so that carets stand under what they mean. Tabs go to the next multiple of four, East Asian
wide characters take two cells, combining marks none (Unicode Annex #11). Control characters are
shown as `·`: an escape sequence in a source file must not reach the terminal. Ambiguous-width
characters count as one cell; emoji joined by U+200D are measured as their parts.
"""

from __future__ import annotations

import unicodedata

from ...source.records import dataclass

TAB = 4
CUT = "..."


@dataclass(frozen=True, slots=True)
class Cells:
    """A laid-out line; `starts[i]` is the cell of character `i`, `starts[-1]` the full width."""

    shown: tuple[str, ...]
    starts: tuple[int, ...]

    @property
    def width(self) -> int:
        """How many cells the line takes."""
        return self.starts[-1]

    @property
    def text(self) -> str:
        """The line as it is printed."""
        return "".join(self.shown)

    def cell(self, column: int) -> int:
        """The cell of a column (from 1); columns past the end go on one cell each."""
        index = column - 1
        past = max(0, index - (len(self.starts) - 1))
        return self.starts[min(index, len(self.starts) - 1)] + past


def lay_out(line: str) -> Cells:
    """The cells of `line`."""
    if line.isascii() and line.isprintable():
        return Cells(tuple(line), tuple(range(len(line) + 1)))
    shown: list[str] = []
    starts = [0]
    for character in line:
        text, width = _shown(character, starts[-1])
        shown.append(text)
        starts.append(starts[-1] + width)
    return Cells(tuple(shown), tuple(starts))


def printable(text: str) -> str:
    """Text of unknown origin on one or more lines, without control characters."""
    return "\n".join(map(printable_line, text.split("\n")))


def printable_line(text: str) -> str:
    """Text of unknown origin on one line; a path may hold a line end."""
    return text if text.isprintable() else lay_out(text).text


def clip(line: Cells, focus: tuple[int, int], width: int) -> tuple[str, int]:
    """The part of a long line around the cells `focus`, and how many cells carets move left.

    What is left out is shown as `...` on its side.
    """
    if line.width <= width:
        return line.text, 0
    room = max(width - 2 * len(CUT), 16)
    start, end = focus
    first = max(0, start - max(4, (room - (end - start)) // 2))
    first = min(first, max(0, line.width - room))
    inside = [i for i in range(len(line.shown)) if first <= line.starts[i] < first + room]
    text = "".join(line.shown[i] for i in inside)
    if not inside:
        return CUT, start
    left = CUT if inside[0] > 0 else ""
    right = CUT if inside[-1] < len(line.shown) - 1 else ""
    return left + text + right, line.starts[inside[0]] - len(left)


def _shown(character: str, cell: int) -> tuple[str, int]:
    if character == "\t":
        width = TAB - cell % TAB
        return " " * width, width
    category = unicodedata.category(character)
    if category in {"Mn", "Me"}:
        return character, 0
    if not character.isprintable() and character != " ":
        return ("\N{MIDDLE DOT}", 1) if category != "Zs" else (" ", 1)
    return character, 2 if unicodedata.east_asian_width(character) in "WF" else 1
