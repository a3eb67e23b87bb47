"""What a finding gains and where else it is, as reports say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...findings.finding import Severity
from ...findings.gain import Confidence
from ...source.words import percent
from ..text.cells import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...findings.finding import Data, Finding, OtherPlace
    from ...findings.gain import Gain
    from ...source.text import Span

_RESTS_ON = {
    Confidence.COUNTED: "counted over the launch",
    Confidence.SAMPLED: "estimated from the first iterations",
    Confidence.WEIGHTED: "estimated: loops or guards are unknown",
    Confidence.ASSUMED: "estimated: the launch is unknown",
}
LITTLE = 0.1  # half of it is what `docs/gains.md` measured of the small ones
_LEAST = 0.01  # that a line names
_BY_OTHERS = 0.1  # of the time: what is saved of the resource that is named does not explain it
_ALL = 0.995  # what would be rounded to everything: something is always left
_PLACES = 12  # that a line has room for


def saves_little(finding: Finding) -> bool:
    """Whether a reported finding is a note on a cost that nobody would notice."""
    if finding.severity is not Severity.NOTE or finding.gain is None:
        return False
    return finding.gain.when_large < LITTLE


def gain_record(gain: Gain) -> dict[str, Data]:
    """The gain of a finding in JSON: fractions from 0 to 1."""
    return {
        "share": round(gain.share, 4),
        "resource": gain.resource,
        "confidence": gain.confidence.value,
        "time": round(gain.time, 4),
    }


def gain_text(gain: Gain) -> str:
    """A finding's gain in a report: `saves about 62 % of the kernel's sectors, 40 % of its time
    (counted over the launch)`; the time alone where something else that goes with it takes more of
    that.
    """
    share = "all" if gain.share >= _ALL else f"about {percent(gain.share)}"
    time = percent(gain.time) if gain.time >= _LEAST else f"less than {percent(_LEAST)}"
    time = "nearly all" if gain.time >= _ALL else time
    text = f"saves {share} of the kernel's {gain.resource}, {time} of its time"
    if gain.time > gain.share + _BY_OTHERS:
        about = "" if gain.time >= _ALL else "about "
        text = f"saves {about}{time} of the kernel's time"
    return f"{text} ({_RESTS_ON[gain.confidence]})"


def all_places(finding: Finding) -> Iterator[tuple[Span, str, str]]:
    """The places of a reported finding, the worst first: place, what it costs there, kernel."""
    yield finding.span, finding.label, finding.kernel
    yield from ((each.span, each.label, each.kernel) for each in finding.places)


def other_places(finding: Finding, *, every: bool = False) -> str:
    """`also at line 24 (8 sectors, ideal 4), line 31 in scale`; label and kernel where they are
    others.
    """
    most = len(finding.places) if every else _PLACES
    words: dict[str, None] = {}
    for place in finding.places:
        span = place.span
        here = span.source is finding.span.source
        where = f"line {span.line}" if here else f"{span.path}:{span.line}"
        kernel = other_kernel(finding, place)
        where += f" in {kernel}" if kernel else ""
        words[where if place.label == finding.label else f"{where} ({place.label})"] = None
    shown = list(words)[:most]
    more = f" and {len(words) - len(shown)} more" if len(words) > len(shown) else ""
    return f"also at {', '.join(shown)}{more}"


def other_kernel(finding: Finding, place: OtherPlace) -> str:
    """The kernel of another place, where it is not that of the finding, nor of its template."""
    name = place.kernel.partition("<")[0]
    return "" if name == finding.kernel.partition("<")[0] else printable(name)
