"""The overview: a row for each kernel, what takes most measured or can gain most time first.

In: the kernels. Out: a table that says for each what can be gained, what it waits for, how many of
its warps are resident and what limits them, and how much of it was judged, with the first reason
why not.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ...findings.finding import Severity
from ...resources.occupancy import Resource
from ...source.words import percent, plural
from ..formats.gain import LITTLE
from .drawing import bar
from .markup import Html, element, joined, name_text
from .tables import table, wide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...engine.coverage import KernelCoverage
    from ...findings.gain import Gain
    from ...findings.kernel_sheets import KernelSheet, OccupancySheet
    from .subjects import KernelSubject, Numbered, Subjects

_HEAD = ("#", "kernel", "findings", "can be gained", "waits for", "occupancy", "judged")
#: What kernels wait for, as people say it.
WAITS = {
    "sectors": "L2 sectors",
    "wavefronts": "shared memory and L1",
    "issue slots": "instruction issue",
    "memory sectors": "DRAM",
}


def overview(subjects: Subjects) -> Html:
    """The table of all kernels on the HTML page."""
    if not subjects.kernels:
        return element("section", element("h2", "No kernels"), id="overview")
    measured = any(each.finding.measured for row in subjects.kernels for each in row.findings)
    what = "the measured time of their findings" if measured else "what can be gained"
    title = element("h2", f"Kernels, by {what}")
    rows = map(_row, subjects.kernels)
    region = wide(table(_HEAD, rows, "overview"), "Kernels")
    return element("section", title, region, id="overview")


def _row(subject: KernelSubject) -> Html:
    sheet = subject.sheet
    name = element("a", name_text(sheet.name), href=f"#{subject.anchor}")
    place = element("span", name_text(f"{sheet.header.path}:{sheet.header.line}"), class_="place")
    cells = (
        element("td", str(subject.rank), class_="number"),
        element("th", name, place, scope="row"),
        element("td", counts(subject.findings)),
        element("td", _gain(subject.gain)),
        element("td", waits_for(sheet)),
        element("td", _occupancy(sheet.occupancy)),
        element("td", _coverage(subject.coverage)),
    )
    return element("tr", joined(cells))


def counts(findings: Sequence[Numbered]) -> Html:
    """How many findings of each severity a kernel has, as chips on the HTML page."""
    found = Counter(item.finding.severity for item in findings)
    chips = [
        element("span", plural(found[each], each.value), class_=f"chip {each.value}")
        for each in Severity
        if found[each]
    ]
    return joined(chips, " ") if chips else element("span", "none", class_="quiet")


def _gain(gain: Gain | None) -> Html:
    if gain is None:
        return element("span", "nothing found", class_="quiet")
    if gain.time < LITTLE:
        return element("span", f"less than {percent(LITTLE)}", class_="quiet")
    return joined((bar(gain.time, "gain"), f"{percent(gain.time)} of time"))


def waits_for(sheet: KernelSheet) -> Html:
    """The resource that takes a kernel longest, on the HTML page."""
    if not any(cycles for _, cycles in sheet.times):
        return element("span", "not known", class_="quiet")
    longest, _ = max(sheet.times, key=lambda item: item[1])
    return joined((WAITS.get(longest, longest),))


def _occupancy(sheet: OccupancySheet | None) -> Html:
    if sheet is None:
        return element("span", "not known", class_="quiet")
    it = sheet.occupancy
    limiters = ", ".join(each.value for each in Resource if each in it.limiters)
    if it.blocks == 0:
        return element("span", f"cannot be launched: {limiters}", class_="bad")
    most = "≤ " if sheet.bound else "≈ " if sheet.ends is not None else ""
    number = f"{most}{percent(it.fraction)}"
    by = element("span", f"limited by {limiters}", class_="place")
    return joined((bar(it.fraction, "occupancy"), number, by))


def _coverage(row: KernelCoverage | None) -> Html:
    if row is None or not row.accesses:
        return element("span", "no accesses", class_="quiet")
    judged = row.accesses - row.unanalysed
    parts = [bar(judged / row.accesses, "judged"), f"{judged} of {row.accesses}"]
    if row.gaps:
        parts.append(element("span", row.gaps[0][0].reason, class_="place"))
    return joined(parts)
