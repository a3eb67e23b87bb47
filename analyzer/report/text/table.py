"""Tables for people: columns aligned by the cells a terminal gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cells import lay_out
from .palette import Palette, Role

if TYPE_CHECKING:
    from collections.abc import Sequence


def render_table(head: Sequence[str], rows: Sequence[Sequence[str]], palette: Palette) -> list[str]:
    """The head and the rows, each column as wide as its widest cell, two blanks apart."""
    lines = [[lay_out(text) for text in row] for row in (head, *rows)]
    widths = [max(line[i].width for line in lines) for i in range(len(head))]
    shown = [
        "  ".join(
            cells.text + " " * (width - cells.width)
            for cells, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    ]
    return [palette.paint(shown[0], Role.STRONG), *shown[1:]]
