"""What `inspect coverage` shows: for each kernel what was not analysed, with the lines.

In: the coverage of kernels. Out: a record per kernel; text with a line per reason.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...analyses.coverage.judgement import ACCESS
from ...analyses.coverage.remedies import Remedy
from ...source.words import plural
from ..formats.gaps import ADVICE, counted, gap_record
from ..formats.json_report import Record, place_record
from ..text.cells import printable_line
from ..text.palette import Palette, Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...analyses.coverage.judgement import Judgement
    from ...engine.coverage import Gap, KernelCoverage
    from ...findings.finding import Data

_LINES = 12  # that are spelt out


def coverage_record(row: KernelCoverage) -> Record:
    """The coverage of one definition of a kernel, as a record of `inspect coverage`."""
    gaps: list[Data] = []
    for gap, places in row.gaps:
        where: list[Data] = [
            {"path": each.span.path, **place_record(each.span), "what": each.what}
            for each in places
        ]
        gaps.append({**gap_record(gap), "places": where})
    return {
        "path": row.definition[0],
        "line": row.line,
        "kernel": row.kernel,
        "accesses": row.accesses,
        "accesses_bounded": row.bounded,
        "accesses_not_analysed": row.unanalysed,
        "not_analysed": gaps,
    }


def coverage_lines(rows: Sequence[KernelCoverage], palette: Palette) -> Iterator[str]:
    """A title for each kernel; a line per reason for what is missing, and what would help."""
    for row in rows:
        done = row.accesses - row.unanalysed
        title = f"{row.definition[0]}:{row.line}: {row.kernel}: {done} of "
        title += f"{plural(row.accesses, 'memory access')} analysed"
        title += f", {row.bounded} of them between bounds" if row.bounded else ""
        yield palette.paint(printable_line(title), Role.NOTE)
        for gap, places in row.gaps:
            yield printable_line(f"  {counted([gap])}: {gap.reason} ({_where(row, places)})")
        for remedy in dict.fromkeys(gap.remedy for gap, _ in row.gaps if _is_helped(gap)):
            yield f"    help: {ADVICE[remedy]}"
    if not rows:
        yield "no kernels"


def _is_helped(gap: Gap) -> bool:
    return gap.kind == ACCESS or gap.remedy is not Remedy.NONE


def _where(row: KernelCoverage, places: Sequence[Judgement]) -> str:
    """The lines, with the path where that is another file."""
    ordered = sorted(
        (each.span.path != row.definition[0], each.span.path, each.span.line) for each in places
    )
    words = dict.fromkeys(
        f"{os.path.basename(path)}:{line}" if elsewhere else str(line)
        for elsewhere, path, line in ordered
    )
    shown = ", ".join(list(words)[:_LINES]) + (", ..." if len(words) > _LINES else "")
    return f"{'line' if len(words) == 1 else 'lines'} {shown}"
