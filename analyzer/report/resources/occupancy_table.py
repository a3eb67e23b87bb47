"""Tables of launches as files: CSV in, CSV or JSON out.

In: the text of a table with a head line (RFC 4180; a byte order mark and any of comma, semicolon
and tab between cells are understood). Out: its rows, and the answered rows as text with the same
columns in the same order, the answers behind them. What a cell means is not known here.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from ...resources.occupancy_table import ANSWERS, RowError
from ..formats.json_report import dump

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def rows_of(text: str) -> tuple[list[str], list[dict[str, str]]]:
    """The columns and rows of a CSV table of launches to answer; a short row lacks its last
    cells.
    """
    head = text.partition("\n")[0]
    separator = max(",;\t", key=head.count)
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), delimiter=separator)
    try:
        rows = [
            {name: cell for name, cell in row.items() if isinstance(cell, str) and name is not None}
            for row in reader
        ]
    except csv.Error as error:
        raise RowError(f"line {reader.line_num}: {error}") from error
    return list(reader.fieldnames or ()), rows


def render_answers(
    columns: Sequence[str], rows: Sequence[Mapping[str, str]], *, as_json: bool
) -> str:
    """The answered rows: every column that was there, and the answers where they are new."""
    if as_json:
        return dump({"launches": [dict(row) for row in rows]})
    names = [*columns, *(name for name in ANSWERS if name not in columns)]
    out = io.StringIO()
    writer = csv.DictWriter(out, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
