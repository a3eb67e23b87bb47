"""Measurements as reports say them: beside each finding, in total, and of hot lines without one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ...findings.measurement import Standing
from ...source.words import percent, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...engine.result import RunResult
    from ...findings.finding import Data
    from ...findings.measurement import HotLine, Measurement


def measured_text(found: Measurement) -> str:
    """`confirmed: racecheck: Potential RAW hazard at line 54 (its lines take 12 % of the time)`."""
    share = "" if found.share is None else f" (its lines take {percent(found.share)} of the time)"
    return f"{found.standing.value}: {found.text}{share}"


def measured_record(found: Measurement | None) -> dict[str, Data] | None:
    """A finding's measurement as JSON; ratios to the ideal, percent of occupancy."""
    if found is None:
        return None
    return {
        "standing": found.standing.value,
        "text": found.text,
        "predicted": found.predicted,
        "measured": found.measured,
        "time_share": None if found.share is None else round(found.share, 4),
    }


def hot_record(hot: HotLine) -> dict[str, Data]:
    """A measured hot line as a record for JSON."""
    return {
        "path": hot.path,
        "line": hot.line,
        "kernel": hot.kernel,
        "time_share": round(hot.share, 4),
        "source": hot.source,
        "text": hot.text,
    }


def standing_text(result: RunResult) -> str:
    """`measured: 3 findings confirmed, 1 contradicted, 2 not covered`."""
    found = (each.measured for each in result.findings)
    counts = Counter(each.standing for each in found if each is not None)
    confirmed = plural(counts[Standing.CONFIRMED], "finding")
    return (
        f"measured: {confirmed} confirmed, {counts[Standing.CONTRADICTED]} contradicted, "
        f"{counts[Standing.NOT_COVERED]} not covered"
    )


def hot_lines_text(result: RunResult) -> Iterator[str]:
    """The measured hot lines in a report, a line for each below a title; nothing without any."""
    if result.hot:
        yield "Hot lines without a finding:"
    for hot in result.hot:
        known = f" ({hot.text})" if hot.text else ""
        where = f"{hot.path}:{hot.line}"
        yield f"  {percent(hot.share):>5} {where} {hot.kernel}: {hot.source}{known}"
