"""What `inspect uniformity` shows: which threads agree on each named value, beside the source.

In: the levels of the uniformity analysis with the launch they hold for. Out: one record per value,
with names that stay, and a table for each kernel and launch.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from ...source.records import dataclass
from ..formats.json_report import Record, place_record
from ..text.palette import Palette, Role
from ..text.table import render_table
from .launches import launch_record, launch_title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...analyses.facts import LaunchFacts
    from ...analyses.warp_evaluation.value_levels import ValueLevel

_HEAD = ("line", "value", "uniformity", "source")
_WORDS = {
    "variable": "",
    "load": "load ",
    "lanes": "between lanes ",
    "call": "call ",
    "branch": "branch on ",
}


@dataclass(frozen=True, slots=True)
class LevelOfKernel:
    """A value that `inspect uniformity` shows and the launch for which it has its level."""

    launch: LaunchFacts
    value: ValueLevel


def level_record(row: LevelOfKernel) -> Record:
    """One value of `inspect uniformity` with its level, as a record."""
    value = row.value
    return {
        "path": value.span.path,
        **place_record(value.span),
        **launch_record(row.launch),
        "kind": value.kind,
        "value": value.name,
        "level": str(value.level),
        "source": value.span.source.line(value.span.line).strip(),
    }


def level_lines(rows: Sequence[LevelOfKernel], palette: Palette) -> Iterator[str]:
    """A table for each kernel and launch; a line of source stands beside its first value."""
    for index, (_, group) in enumerate(groupby(rows, key=lambda row: id(row.launch))):
        own = list(group)
        if index:
            yield ""
        yield palette.paint(launch_title(own[0].launch), Role.NOTE)
        yield from render_table(_HEAD, list(_cells([row.value for row in own])), palette)
    if not rows:
        yield "no values"


def _cells(values: Sequence[ValueLevel]) -> Iterator[Sequence[str]]:
    shown: tuple[str, int] | None = None
    for value in values:
        span = value.span
        place = (span.path, span.line)
        source = "" if place == shown else span.source.line(span.line).strip()
        line = "" if place == shown else str(span.line)
        shown = place
        yield line, f"{_WORDS[value.kind]}{value.name}", str(value.level), source
