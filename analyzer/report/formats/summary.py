"""The end of a console report: what was found, what was looked at, and what was not.

A linter that says nothing may have seen nothing. So the summary counts kernels and memory
accesses, gives the reasons for what was not analysed, and names the block shapes it assumed.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from ...findings.finding import Applicability, Severity, number_of
from ...source.words import percent, plural
from ..text.palette import Palette, Role
from ..text.words import doubt, value_text
from .counted import little_text
from .fixable import Fixable
from .gaps import gap_lines
from .measured import standing_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...engine.result import RunResult

#: How many reasons and block shapes are spelt out before the rest is counted.
_REASONS = 3
_CODES = 8


def summary_lines(result: RunResult, palette: Palette) -> Iterator[str]:
    """The lines of the summary; the first one is the verdict."""
    yield palette.paint(_verdict(result), Role.STRONG)
    yield from _fixed(result)
    if result.was_measured:
        yield standing_text(result)
    yield _coverage(result)
    yield from _not_analysed(result)
    yield from _assumed(result)
    if result.suppressed:
        yield f"{plural(len(result.suppressed), 'finding')} suppressed by comments"
    if result.known:
        yield f"{plural(result.known, 'finding')} in the baseline not shown"
    if result.stale:
        gone = plural(result.stale, "finding")
        yield f"{gone} in the baseline no longer found; --update-baseline removes them"
    if result.unchanged:
        yield f"{plural(result.unchanged, 'finding')} on unchanged lines not shown"
    if result.untouched:
        files = plural(result.untouched, "file")
        yield f"{files} not checked: unchanged, and so is every header that they read"
    if result.excluded:
        yield f"{plural(result.excluded, 'file')} excluded by `exclude`"
    if result.aside:
        yield f"{_set_aside(result.aside)}; to check them, name the headers or pass --extension .h"
    if result.below:
        yield f"{plural(result.below, 'finding')} below --min-severity not shown"
    if result.little:
        yield f"{little_text(result.little)}; --verbose shows all"
    if result.hidden:
        yield f"{plural(result.hidden, 'possible finding')} not shown; --show-possible shows them"
    if result.off and any(item.status != "none" for item in result.inputs):
        more = f" and {len(result.off) - _CODES} more" if len(result.off) > _CODES else ""
        yield f"rules off: {', '.join(result.off[:_CODES])}{more}"


def _set_aside(headers: int) -> str:
    """Headers with kernels that were not read."""
    verb = "holds" if headers == 1 else "hold"
    return f"{plural(headers, 'header')} {verb} kernels that no input launches"


def _verdict(result: RunResult) -> str:
    if all(item.status == "none" for item in result.inputs):
        return "Nothing was analysed."
    if not result.findings:
        kernels = any(item.kernels for item in result.inputs)
        return "No findings." if kernels else "No kernels found."
    counts = Counter[Severity]()
    for finding in result.findings:
        counts[finding.severity] += number_of([finding])
    parts = [plural(counts[severity], severity.value) for severity in Severity if counts[severity]]
    unsure = number_of(finding for finding in result.findings if doubt(finding))
    rest = f"; {unsure} of them only possible" if unsure else ""
    number = number_of(result.findings)
    copies = number - len(result.findings)
    rest += f"; {copies} of them grouped with the same in another file" if copies else ""
    return f"Found {plural(number, 'finding')} ({', '.join(parts)}{rest})."


def _fixed(result: RunResult) -> Iterator[str]:
    """What --fix did, and what it could do."""
    if result.fixed:
        yield f"fixed {plural(result.fixed, 'finding')}"
    fixable = Fixable(result.inputs)
    offered = Counter[Applicability | None]()
    for finding in result.findings:
        offered[fixable.how(finding)] += 1 + len(finding.places)  # each place is fixed
    safe, unsafe = offered[Applicability.SAFE], offered[Applicability.UNSAFE]
    if safe:
        yield f"{plural(safe, 'finding')} fixable with --fix"
    if unsafe:
        yield f"{plural(unsafe, 'finding')} fixable with --fix --unsafe-fixes"


def _coverage(result: RunResult) -> str:
    seen = result.coverage
    read = [item for item in result.inputs if item.status != "none"]
    text = f"{plural(seen.kernels, 'kernel')} in {plural(len(read), 'file')}"
    text += f", {plural(seen.accesses, 'memory access')}"
    if seen.unanalysed:
        text += f", {percent((seen.accesses - seen.unanalysed) / seen.accesses)} analysed"
    if seen.bounded:
        text += f" ({percent(seen.bounded / seen.accesses)} between bounds: data or sizes decide)"
    unread = len(result.inputs) - len(read)
    return text + (f"; {plural(unread, 'input')} not analysed" if unread else "")


def _not_analysed(result: RunResult) -> Iterator[str]:
    """What to do so that more is analysed, a line for each remedy."""
    yield from gap_lines(result.coverage)
    if result.coverage.gaps:
        yield "`warplint inspect coverage FILE...` lists what was not analysed"


def _assumed(result: RunResult) -> Iterator[str]:
    shapes = Counter(
        # Launches of one shape are one entry, wherever they are.
        f"{value_text(assumption.value)} ({re.sub(r' at .*:?[0-9]+$', '', assumption.origin)})"
        for item in result.inputs
        for assumption in item.assumptions
        if assumption.name == "block"
    )
    if not shapes:
        return
    common = shapes.most_common()
    parts = [f"{shape} for {plural(count, 'kernel')}" for shape, count in common[:_REASONS]]
    if len(common) > _REASONS:
        parts.append(f"{plural(len(common) - _REASONS, 'other shape')}")
    yield f"assumed blocks: {', '.join(parts)}"
