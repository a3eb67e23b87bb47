"""The section of one kernel: its launch, its source with marks, its findings, its pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.words import percent
from ..formats.gain import LITTLE
from .access_section import access_section
from .finding_card import finding_card
from .markup import Html, element, joined
from .occupancy_figure import occupancy_figure
from .overview import counts, waits_for
from .roofline import resource_bars, roofline
from .source_listing import source_listing
from .space_table import space_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...findings.kernel_sheets import KernelSheet
    from .detail import Detail
    from .subjects import KernelSubject


def kernel_section(subject: KernelSubject, detail: Detail) -> Html:
    """The section of one kernel on the HTML page."""
    sheet = subject.sheet
    place = element("span", f"{sheet.header.path}:{sheet.header.line}", class_="place")
    rank = element("span", f"{subject.rank}. ", class_="rank")
    title = element("h2", rank, sheet.name, " ", place)
    cards = joined(finding_card(item, subject.anchor) for item in subject.findings)
    parts = [
        title,
        element("dl", joined(_facts(subject)), class_="facts"),
        source_listing(subject, detail),
    ]
    if subject.findings:
        parts += [element("h3", "Findings"), cards]
    parts.append(access_section(sheet, subject.anchor, detail.pictures))
    parts.append(_bounds(sheet))
    parts.append(space_table(sheet))
    back = element("p", element("a", "Back to the kernels", href="#overview"), class_="back")
    return element("section", joined(parts), back, id=subject.anchor, class_="kernel")


def _bounds(sheet: KernelSheet) -> Html:
    """What limits it: resident warps, and the time of each resource."""
    parts = [] if sheet.occupancy is None else [occupancy_figure(sheet.occupancy)]
    below = joined((resource_bars(sheet), roofline(sheet)))
    if below:
        parts.append(element("div", below, class_="pair"))
    return joined((element("h3", "What limits it"), *parts)) if parts else Html()


def _facts(subject: KernelSubject) -> Iterator[Html]:
    sheet = subject.sheet
    yield _fact("findings", counts(subject.findings))
    gain = subject.gain
    if gain is not None and gain.time >= LITTLE:
        yield _fact("can be gained", f"{percent(gain.time)} of its time")
    yield _fact("waits for", waits_for(sheet))
    launch = f"block {sheet.block} ({sheet.origin})"
    if None not in sheet.grid:
        launch += f", grid {'x'.join(map(str, sheet.grid))}"
    yield _fact("launch", launch)
    if sheet.occupancy is not None:
        yield _fact("occupancy", sheet.occupancy.headline)
        yield _fact("it rests on", "; ".join(sheet.occupancy.notes))
    if len(subject.instances) > 1:
        others = [name for name in subject.instances if name != sheet.name]
        yield _fact("other instances", ", ".join(others))
    if not sheet.complete:
        yield _fact("not complete", "too much work for one kernel; --kernel-size allows more")


def _fact(name: str, value: str) -> Html:
    return joined((element("dt", name), element("dd", value)))
