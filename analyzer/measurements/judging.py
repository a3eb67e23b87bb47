"""Findings beside measurements: confirmed, contradicted, or not covered.

In: findings, and a measured program. Out: the findings with their measurement, and the lines that
take time without a finding. A finding itself says how it can be seen (`Finding.verify`): by a tool
of compute-sanitizer, by counters of a line, by the occupancy of a launch. It is

- confirmed where that tool reported one of its lines, or the counters are above the ideal
- contradicted where its kernel ran and the tool reported nothing of it, or the counters are ideal
- not covered where nothing says that it ran, its tool did not, or would not report it

A tool sees one run; what it did not see may happen in another. Rules that name no measurement are
not covered.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..findings.measurement import HotLine, Measurement, Standing
from ..source.words import listed, percent, plural
from .blind_spots import blind_spot
from .kernel_names import plain_name
from .profile_report import SAMPLES
from .visibility import counters_of, is_occupancy, tool_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..findings.finding import Finding
    from ..source.text import Span
    from .measured_program import MeasuredProgram
    from .profile_report import MeasuredLine
    from .sanitizer_report import Hazard

_COLUMNS = {
    "memory_l1_wavefronts_shared": "L1 Wavefronts Shared",
    "memory_l1_wavefronts_shared_ideal": "L1 Wavefronts Shared Ideal",
    "memory_l2_theoretical_sectors_global": "L2 Theoretical Sectors Global",
    "memory_l2_theoretical_sectors_global_ideal": "L2 Theoretical Sectors Global Ideal",
}
_PREDICTED = ("average_degree", "average_ratio", "degree", "sector_ratio")  # evidence, best first
_ABOVE = 1.1  # times the ideal: less is no finding
_ALIKE = 2.0  # percent of occupancy
_HOT = 0.02  # of all time
_MOST_HOT = 10


def judged(findings: Iterable[Finding], program: MeasuredProgram) -> tuple[Finding, ...]:
    """The findings of a run, each with what sanitizer and profiler measured of it."""
    return tuple(replace(each, measured=_judged(each, program)) for each in findings)


def _judged(finding: Finding, program: MeasuredProgram) -> Measurement:
    lines = list(_lines(finding, program))
    share = program.share(lines) if lines else None
    tool, counters = tool_of(finding), counters_of(finding)
    if not finding.kernel:
        found = _not_covered("it is about host code")
    elif tool:
        found = _by_tool(finding, tool, program)
    elif counters is not None:
        found = _by_counters(finding, *counters, lines)
    elif is_occupancy(finding):
        found = _by_occupancy(finding, program)
    else:
        found = _not_covered("no measurement that is read here shows it")
    return replace(found, share=share)


def _not_covered(why: str) -> Measurement:
    return Measurement(Standing.NOT_COVERED, why)


def _by_tool(finding: Finding, tool: str, program: MeasuredProgram) -> Measurement:
    kernel, own = plain_name(finding.kernel), set(_places(finding))
    of_tool = [each for each in program.hazards if each.tool == tool]
    reported = [each for each in of_tool if each.kernel == kernel]
    # A function that a kernel calls may be named in its place: what counts is the line.
    hits = [each for each in of_tool if own & set(each.places)]
    hits = hits or [each for each in reported if not each.places]
    if hits:
        return Measurement(Standing.CONFIRMED, f"{tool}: {_told(hits)}")
    if tool not in program.tools:
        return _not_covered(f"no report of {tool} names an error")
    if reported:
        return _not_covered(f"{tool} reported other lines of {kernel}: {_told(reported)}")
    if kernel not in program.kernels:
        return _not_covered(f"nothing says that {kernel} ran")
    why = blind_spot(tool, finding)
    if why:
        return _not_covered(why)
    return Measurement(Standing.CONTRADICTED, f"{tool} reported nothing of {kernel}")


def _told(hazards: Sequence[Hazard]) -> str:
    first = hazards[0]
    at = listed([f"line {line}" for _, line in first.places])
    more = sum(each.count for each in hazards) - 1
    rest = f" and {more} more" if more else ""
    return f"{first.what}{f' at {at}' if at else ''}{rest}"


def _by_counters(
    finding: Finding, metric: str, ideal: str, lines: Sequence[MeasuredLine]
) -> Measurement:
    """What its worst measured line executed, over the ideal."""
    ratios = []
    for line in lines:
        least = line.counters.get(_COLUMNS.get(ideal, ""), 0.0)
        if least:
            ratios.append((line.counters.get(_COLUMNS.get(metric, ""), 0.0) / least, line.line))
    if not ratios:
        return _not_covered("its lines were not profiled" if not lines else "it was not executed")
    ratio, at = max(ratios)
    unit = "wavefronts" if "wavefronts" in metric else "sectors"
    text = f"{ratio:.3g} times the ideal {unit} over all accesses of line {at}"
    facts = {fact.name: fact.value for fact in finding.evidence}
    predicted = next((facts[name] for name in _PREDICTED if name in facts), None)
    known = float(predicted) if isinstance(predicted, int | float) else None
    if known is not None:
        text += f", predicted {known:.3g} for this one"
    standing = Standing.CONFIRMED if ratio > _ABOVE else Standing.CONTRADICTED
    return Measurement(standing, text, known, ratio)


def _by_occupancy(finding: Finding, program: MeasuredProgram) -> Measurement:
    launches = program.launches.get(plain_name(finding.kernel), [])
    known = [launch.occupancy for launch in launches if launch.occupancy is not None]
    facts = {fact.name: fact.value for fact in finding.evidence}
    predicted = facts.get("occupancy")
    if not known or not isinstance(predicted, int | float):
        return _not_covered("its launches were not profiled")
    measured = min(known)
    fits = any(each <= predicted * 100 + _ALIKE for each in known)
    text = f"{measured:.3g} % of all warps can be resident, predicted {percent(predicted, 1)}"
    standing = Standing.CONFIRMED if fits else Standing.CONTRADICTED
    return Measurement(standing, text, predicted * 100, measured)


def _spans(finding: Finding) -> Iterator[Span]:
    """Where it is: its places, those that belong to it, and the steps of its witness."""
    yield finding.span
    yield from (place.span for place in finding.places)
    yield from (place.span for place in finding.related)
    yield from (step.span for flow in finding.flows for step in flow.steps)


def _places(finding: Finding) -> Iterator[tuple[str, int]]:
    for span in _spans(finding):
        for line in range(span.line, span.end_line + 1):
            yield _file(span.path), line


def _lines(finding: Finding, program: MeasuredProgram) -> Iterator[MeasuredLine]:
    """The measured lines of its own places, each once."""
    kernel = plain_name(finding.kernel)
    seen: set[tuple[str, int]] = set()
    for span in (finding.span, *(place.span for place in finding.places)):
        measured = program.lines.get((kernel, _file(span.path)), {})
        for line in range(span.line, span.end_line + 1):
            if line in measured and (span.path, line) not in seen:
                seen.add((span.path, line))
                yield measured[line]


def _file(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def hot_lines(findings: Iterable[Finding], program: MeasuredProgram) -> tuple[HotLine, ...]:
    """The measured lines that take most time and that no finding speaks of, at most ten."""
    spoken_of = {
        (plain_name(finding.kernel), *place) for finding in findings for place in _places(finding)
    }
    found = []
    for (kernel, file), lines in program.lines.items():
        for line in lines.values():
            share = program.share([line]) or 0.0
            if share >= _HOT and (kernel, file, line.line) not in spoken_of:
                text = "; ".join(_known(line))
                found.append(HotLine(file, line.line, kernel, share, line.source, text))
    found.sort(key=lambda each: (-each.share, each.path, each.line))
    return tuple(found[:_MOST_HOT])


def _known(line: MeasuredLine) -> Iterator[str]:
    """What it waits for, and what its accesses cost."""
    counters = line.counters
    stalls = {
        name.removeprefix("stall_").replace("_", " "): number
        for name, number in counters.items()
        if name.startswith("stall_") and "Not Issued" not in name
    }
    samples = counters.get(SAMPLES, 0.0)
    if samples and stalls:
        reason, number = max(stalls.items(), key=lambda item: item[1])
        yield f"{percent(min(1.0, number / samples))} of its samples: {reason}"
    for unit, pair in (("wavefront", _PAIRS[0]), ("sector", _PAIRS[1])):
        units, ideal = (counters.get(_COLUMNS[name], 0.0) for name in pair)
        if ideal:
            yield f"{plural(int(units), unit)}, {units / ideal:.3g} times the ideal"


_PAIRS = (
    ("memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"),
    ("memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal"),
)
