"""One finding in full: message, witness, evidence, what it rests on, what to do, how to see it.

In: a finding and its number on the page. Out: an article that its marks in the source lead to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..formats.gain import gain_text, other_places
from ..formats.measured import measured_text
from ..text.words import assumption_text, doubt, doubt_text
from .markup import Html, classes, element, joined, prose
from .witness import witness

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...findings.finding import Finding
    from .subjects import Numbered


def finding_card(item: Numbered, lines: str = "") -> Html:
    """The card of a finding on the HTML page; `lines` begins the anchors of its source, if
    there.
    """
    finding = item.finding
    place = f"{finding.span.path}:{finding.span.line}"
    where: Html = element("span", place, class_="place")
    if lines:
        where = element("a", place, href=f"#{lines}-{finding.span.line}", class_="place")
    head = element(
        "h4" if lines else "h3",
        element("span", finding.severity.value, class_=f"chip {finding.severity.value}"),
        " ",
        element("code", finding.rule.code),
        f" {finding.rule.name}",
        doubt(finding),
        " ",
        where,
    )
    return element(
        "article",
        head,
        element("p", prose(finding.text), class_="message"),
        witness(finding),
        element("dl", joined(_rows(finding))),
        id=item.anchor,
        class_=classes("card", finding.severity.value),
    )


def _rows(finding: Finding) -> Iterator[Html]:
    if finding.gain is not None:
        yield _row("gain", gain_text(finding.gain))
    if finding.measured is not None:
        yield _row("measured", measured_text(finding.measured))
    if finding.places:
        yield _row("places", other_places(finding, every=True))
    facts = [fact.text for fact in finding.evidence if fact.text is not None]
    if facts:
        yield _row("evidence", *facts)
    if finding.doubts:
        yield _row("doubts", *map(doubt_text, finding.doubts))
    if finding.assumptions:
        yield _row("assumed", *map(assumption_text, finding.assumptions))
    if finding.fixes:
        yield _row("help", *(fix.title for fix in finding.fixes))
    if finding.verify:
        yield joined((element("dt", "verify"), element("dd", element("code", finding.verify))))


def _row(name: str, *lines: str) -> Html:
    values = joined(element("dd", prose(line)) for line in lines)
    return joined((element("dt", name), values))
