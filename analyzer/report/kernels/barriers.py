"""What `inspect barriers` shows: each barrier, what decides about it, and who agrees on that.

In: barriers with the decisions they depend on, for one launch. Out: one record per barrier, with
names that stay, and a table for each kernel and launch.
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

    from ...analyses.barriers.barrier_control import BarrierControl, Control
    from ...analyses.facts import LaunchFacts

_HEAD = ("line", "barrier", "kind", "reached", "condition", "uniformity", "source")
_REACHED = {True: "uniform", False: "divergent", None: "per thread"}


@dataclass(frozen=True, slots=True)
class BarrierOfKernel:
    """A barrier and the launch for which it is judged."""

    launch: LaunchFacts
    control: BarrierControl


def barrier_record(row: BarrierOfKernel) -> Record:
    """One barrier; `uniform` is null when its threads do not wait for each other."""
    control = row.control
    place = control.barrier.location
    span, origin = place.span, place.origin
    return {
        "path": span.path,
        **place_record(span),
        **launch_record(row.launch),
        "barrier": control.barrier.name,
        "kind": control.barrier.kind.value,
        "uniform": control.uniform,
        "level": str(control.level),
        "controls": [_control(item) for item in control.controls],
        "inlined_at": [
            {"path": site.span.path, "line": site.span.line} for site in place.call_chain()
        ],
        "origin": {"path": origin.path, "line": origin.line} if origin else None,
    }


def barrier_lines(rows: Sequence[BarrierOfKernel], palette: Palette) -> Iterator[str]:
    """A table for each kernel and launch: a line per barrier and decision."""
    for index, (_, group) in enumerate(groupby(rows, key=lambda row: id(row.launch))):
        own = list(group)
        if index:
            yield ""
        yield palette.paint(launch_title(own[0].launch), Role.NOTE)
        cells = [cells for row in own for cells in _cells(row.control)]
        yield from render_table(_HEAD, cells, palette)
    if not rows:
        yield "no barriers"


def _control(control: Control) -> Record:
    return {
        "path": control.span.path,
        "line": control.span.line,
        "condition": control.condition,
        "construct": control.construct,
        "taken": control.way or None,
        "level": str(control.level),
    }


def _cells(control: BarrierControl) -> Iterator[Sequence[str]]:
    span = control.barrier.location.span
    calls = "".join(
        f", called at {site.span.line}" for site in control.barrier.location.call_chain()
    )
    lead = (
        f"{span.line}{calls}",
        control.barrier.name,
        control.barrier.kind.value,
        _REACHED[control.uniform],
    )
    source = span.source.line(span.line).strip()
    for item in control.controls:
        decision = f"line {item.span.line}: {item.condition}"
        way = f" is {item.way}" if item.way else ""
        yield *lead, f"{decision}{way}", str(item.level), source
        lead, source = ("", "", "", ""), ""
    if not control.controls:
        yield *lead, "none: every thread arrives", str(control.level), source
