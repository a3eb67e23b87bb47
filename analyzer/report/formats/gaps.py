"""What was not analysed, and what to do about it, in the words and records of all reports.

In: the coverage of a run. Out: a line for each remedy, what hides most first, and records.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ...analyses.coverage.judgement import ACCESS
from ...analyses.coverage.remedies import Remedy
from ...ir.unfollowed import TOO_LARGE
from ...source.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...engine.coverage import Coverage, Gap
    from ...findings.finding import Data

ADVICE = {
    Remedy.BLOCK: "the block shape is unknown: pass --block, set `blocks` in the configuration, or "
    "check the file with the launch as well",
    Remedy.INSTANCE: "template arguments are unknown: check the file that instantiates the kernel "
    "as well",
    Remedy.DEFINITION: "code that was not read: pass the folders of its headers with -I, macros "
    "with -D",
    Remedy.ARGUMENT: "the stride depends on an argument: check a launch that passes a constant",
    Remedy.CALLS: "calls through pointers, and of functions that call themselves, are not followed",
    Remedy.SIZE: "too much work for one kernel: split it",
    Remedy.NONE: "depends on data: only a profiler can tell",
}
_JOINED = frozenset({Remedy.DEFINITION, Remedy.CALLS})  # one line, however many names
_SHOWN_HEADERS = 3


def gap_lines(coverage: Coverage) -> Iterator[str]:
    """Lines of a report: `not analysed: 449 memory accesses: the block shape is unknown: ...`."""
    for remedy in Remedy:
        gaps = [gap for gap in coverage.gaps if gap.remedy is remedy]
        accesses = [gap for gap in gaps if gap.kind == ACCESS]
        if accesses:
            yield f"not analysed: {counted(accesses)}: {ADVICE[remedy]}"
        others = [gap for gap in gaps if gap.kind != ACCESS]
        if remedy in _JOINED and others:
            yield f"not analysed: {counted(others)}: {ADVICE[remedy]}"
        else:
            yield from _reasons(others)
    missing = coverage.missing_headers
    if missing:
        names = ", ".join(missing[:_SHOWN_HEADERS])
        more = ", ..." if len(missing) > _SHOWN_HEADERS else ""
        count = plural(len(missing), "header")
        yield f"{count} not found ({names}{more}): pass their folders with -I"


def _reasons(gaps: Iterable[Gap]) -> Iterator[str]:
    """A line for each reason, whatever function it is said of."""
    alike: dict[str, list[Gap]] = {}
    for gap in gaps:
        text = TOO_LARGE if gap.reason.endswith(TOO_LARGE) else gap.reason
        alike.setdefault(text, []).append(gap)
    yield from (f"not analysed: {counted(group)}: {text}" for text, group in alike.items())


def counted(gaps: Iterable[Gap]) -> str:
    """Words of a report for what was not analysed: `449 memory accesses and 2 calls`."""
    counts = Counter[str]()
    for gap in gaps:
        counts[gap.kind] += gap.count
    words = {ACCESS: "memory access"}
    return " and ".join(plural(count, words.get(kind, kind)) for kind, count in counts.items())


def gap_record(gap: Gap) -> dict[str, Data]:
    """One reason for what was not analysed, in JSON: `count` places in `kernels` definitions."""
    return {
        "kind": gap.kind,
        "reason": gap.reason,
        "remedy": gap.remedy.value,
        "count": gap.count,
        "kernels": gap.kernels,
    }


def coverage_record(coverage: Coverage) -> dict[str, Data]:
    """The coverage of a run: definitions and distinct places, not instances."""
    return {
        "kernels": coverage.kernels,
        "accesses": coverage.accesses,
        "accesses_bounded": coverage.bounded,
        "accesses_not_analysed": coverage.unanalysed,
        "not_analysed": [gap_record(gap) for gap in coverage.gaps],
        "missing_headers": list(coverage.missing_headers),
    }
