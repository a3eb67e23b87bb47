"""The first thing that is seen: how many findings, how many kernels, how much was judged."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ...findings.finding import Severity
from ...source.words import percent, plural, plural_noun
from .markup import Html, classes, element, joined

if TYPE_CHECKING:
    from ...engine.result import RunResult


def summary_tiles(result: RunResult, arch: str) -> Html:
    """A list of numbers, each with what it counts."""
    seen = result.coverage
    counts = Counter(finding.severity for finding in result.findings)
    tiles = []
    for each in Severity:
        count = counts[each]
        tiles.append(_tile(f"{count:,}", _noun(each.value, count), each.value if count else ""))
    read = plural(sum(item.status != "none" for item in result.inputs), "file")
    tiles.append(_tile(f"{seen.kernels:,}", f"{_noun('kernel', seen.kernels)} in {read}"))
    if seen.accesses:
        judged = (seen.accesses - seen.unanalysed) / seen.accesses
        tiles.append(_tile(percent(judged), f"of {plural(seen.accesses, 'memory access')} judged"))
    tiles.append(_tile(arch, "target"))
    return element("ul", joined(tiles), class_="tiles")


def _noun(noun: str, count: int) -> str:
    return noun if count == 1 else plural_noun(noun)


def _tile(number: str, what: str, kind: str = "") -> Html:
    return element(
        "li", element("b", number), " ", element("span", what), class_=classes("tile", kind)
    )
