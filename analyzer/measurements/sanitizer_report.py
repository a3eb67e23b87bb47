"""Reports of compute-sanitizer: memcheck, racecheck, synccheck, initcheck.

In: the text of a log (`--log-file`, or what it prints), or XML (`--xml --save FILE`). Out: a
`Hazard` for each error, those at the same places once, with the tool that found it. Which tool made
a log without any error is only known of racecheck, whose summary names it. Not handled: leaks,
errors of API calls, which name no kernel.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from ..source.numbers import integer
from ..source.records import dataclass
from .kernel_names import plain_name

if TYPE_CHECKING:
    from collections.abc import Iterator

#: A file and a line; the file is a name without folders in logs.
Place = tuple[str, int]

_LINE = re.compile(r"^=+ ?(.*)$", re.MULTILINE)
_AT = re.compile(r"\bat (.+?)\+0x[0-9a-fA-F]+(?: in (.*?):(\d+))?(?: \[\d+ hazards?\])?\s*$")
_STARTS = (
    (re.compile(r"(?:Error|Warning|Info): (?:Race reported|Potential \w+ hazard)"), "racecheck"),
    (re.compile(r"Barrier error|Divergent thread|.*[Bb]arrier.* (?:error|missing)"), "synccheck"),
    (re.compile(r"Uninitialized "), "initcheck"),
    (re.compile(r"(?:Invalid|Misaligned|Out-of-range) "), "memcheck"),
)
_KINDS = {
    "Precise": "memcheck",
    "Imprecise": "memcheck",
    "Hazard": "racecheck",
    "Race": "racecheck",
    "Synccheck": "synccheck",
    "Initcheck": "initcheck",
}


class ReportError(Exception):
    """What is wrong with a report of compute-sanitizer or Nsight Compute, and what to do."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.advice = advice


@dataclass(frozen=True, slots=True)
class Hazard:
    """An error that compute-sanitizer reports, at one place or between two, printed `count`
    times.
    """

    tool: str
    what: str
    kernel: str
    places: tuple[Place, ...]
    count: int = 1


@dataclass(frozen=True, slots=True)
class SanitizerReport:
    """One report of compute-sanitizer; `tools` are those that are known to have made it."""

    tools: frozenset[str]
    hazards: tuple[Hazard, ...]


def read_sanitizer(text: str) -> SanitizerReport:
    """The report of compute-sanitizer, in either format; raises ReportError for other text."""
    if text.lstrip().startswith("<"):
        found = list(_of_xml(text))
    elif "COMPUTE-SANITIZER" in text or _LINE.search(text):
        found = list(_of_log(text))
    else:
        raise ReportError(
            "not a report of compute-sanitizer",
            "pass what it prints, or --xml --save FILE writes",
        )
    counts: Counter[Hazard] = Counter(found)
    hazards = tuple(
        Hazard(each.tool, each.what, each.kernel, each.places, count)
        for each, count in counts.items()
    )
    tools = {each.tool for each in hazards}
    if "RACECHECK SUMMARY" in text:
        tools.add("racecheck")
    return SanitizerReport(frozenset(tools), hazards)


def _of_log(text: str) -> Iterator[Hazard]:
    """A record begins with a line that says what is wrong, and goes on in lines that say where."""
    tool = what = ""
    sites: list[tuple[str, Place | None]] = []
    for match in _LINE.finditer(text):
        line = match[1]
        started = next((name for start, name in _STARTS if start.match(line.strip())), "")
        if started or not line.strip():
            yield from _hazard(tool, what, sites)
            tool, what, sites = started, line.strip(), []
        if tool and (at := _AT.search(line)):
            place = (_file(at[2]), integer(at[3], 10) or 0) if at[2] else None
            sites.append((at[1], place))
    yield from _hazard(tool, what, sites)


def _hazard(tool: str, what: str, sites: list[tuple[str, Place | None]]) -> Iterator[Hazard]:
    if tool and sites:
        kernel = plain_name(sites[0][0].removeprefix("Read access at ").strip())
        places = tuple(sorted({place for _, place in sites if place is not None}))
        yield Hazard(tool, _general(what), kernel, places)


def _general(what: str) -> str:
    """What is wrong, without the address and the thread that it was first seen at."""
    what = re.sub(r"^(Error|Warning|Info): ", "", what.rstrip(" :."))
    return re.sub(r" (detected )?(at __\w+__ 0x\w+ in block .*|between .*)$", "", what)


def _of_xml(text: str) -> Iterator[Hazard]:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ReportError("XML that defines entities", "pass what compute-sanitizer wrote")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ReportError(f"not well-formed XML: {error}", "the report may be cut off") from None
    if root.tag != "ComputeSanitizerOutput":
        raise ReportError("not a report of compute-sanitizer", "pass what --xml --save FILE writes")
    for record in root.iter("record"):
        tool = _KINDS.get(record.findtext("kind", ""), "")
        sites = [*record.findall("where"), *record.findall("what//where")]
        named = [site for site in sites if site.findtext("func")]
        if tool and named:
            what = " ".join(
                filter(None, (record.findtext("what/text"), record.findtext("what/type")))
            )
            places = {
                (_file(path), integer(site.findtext("line", ""), 10) or 0)
                for site in named
                if (path := site.findtext("path"))
            }
            kernel = plain_name(named[0].findtext("func", ""))
            yield Hazard(tool, _general(what), kernel, tuple(sorted(places)))


def _file(path: str) -> str:
    """The name of a file without its folders: a log has no more."""
    return path.replace("\\", "/").rpartition("/")[2]
