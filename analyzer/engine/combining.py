"""The results of files made one: each finding once, suppressions applied, coverage counted.

In: what the rules said of each file (`FileCheck`), with what was asked of it. Out: a `RunResult`.
Where and in which order the files were checked plays no part: a run, its workers and its shards
(`shards.py`) all end here.
The same finding of two inputs (a kernel in a header that both include) or of two instances of a
template is kept once.
"""

from __future__ import annotations

import os
from functools import cache, partial
from typing import TYPE_CHECKING

from ..findings.finding import Certainty
from ..source.problem import Damage, Problem
from ..source.records import dataclass
from ..source.words import plural
from .coverage import coverage_of, kernel_coverage
from .result import InputResult, RunResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..config.share import Share
    from ..findings.finding import Finding
    from ..findings.kernel_sheets import KernelSheet
    from ..findings.rule import Rule
    from ..findings.suppressions import Suppression
    from .coverage import Coverage, Judged
    from .file_check import FileCheck


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking one file in a run, and the rules it was checked with."""

    check: FileCheck
    rules: tuple[Rule, ...]
    show_possible: bool = False


@dataclass(frozen=True, slots=True)
class Around:
    """What a run is besides the files that were checked: refused paths, the signal that
    ended it.
    """

    arch: int
    refused: Sequence[Problem] = ()  # paths that named no input
    left: Sequence[str] = ()  # the paths of inputs that it did not come to
    excluded: int = 0
    untouched: int = 0
    stopped: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """Files of a run by their numbers in it, in their order, and what is around them."""

    files: Mapping[int, Checked]
    around: Around
    share: Share | None = None  # that these are; None: the whole run
    total: int = 0  # files of the run, for a share


def combined(part: Part) -> RunResult:
    """The result of a run from the results of its files."""
    checked, around = tuple(part.files.values()), part.around
    checks = [item.check for item in checked]
    judged_elsewhere = launched_elsewhere(checks)
    distinct, dead = _distinct(checked, judged_elsewhere)
    whole = not around.stopped and part.share is None
    kept, suppressed = _suppressed(distinct, checked, whole=whole)
    refused = [InputResult(p.path, "none", 0, 0, problems=(p,)) for p in around.refused]
    shown = [finding for finding in kept if id(finding) not in dead]
    applied = {rule.code: rule for item in checked for rule in item.rules}
    sheets = _sheets(checks, judged_elsewhere)
    return RunResult(
        findings=tuple(sorted(shown, key=lambda finding: finding.sort_key)),
        inputs=(*(item.result() for item in checks), *refused, *_not_checked(around.left)),
        rules=tuple(applied[code] for code in sorted(applied)),
        arch=around.arch,
        suppressed=tuple(sorted(suppressed, key=lambda pair: pair[0].sort_key)),
        hidden=len(kept) - len(shown),
        untouched=around.untouched,
        excluded=around.excluded,
        stopped=around.stopped,
        coverage=_coverage(checks, judged_elsewhere),
        notes=tuple(dict.fromkeys(note for item in checks for note in item.notes)),
        sheets=sheets,
        judged=tuple(kernel_coverage(judged(checks, judged_elsewhere))) if sheets else (),
    )


def _suppressed(
    findings: list[Finding], checked: Sequence[Checked], *, whole: bool
) -> tuple[list[Finding], list[tuple[Finding, Suppression]]]:
    """The findings that remain and the suppressed ones; most runs meet no suppression at all.

    Of a run that is not whole, no suppression can be called unused.
    """
    sources = {item.check.source for item in checked if item.check.source}
    sources |= {finding.span.source for finding in findings}
    if not any("warplint:" in source.text for source in sources):
        return findings, []
    from ...rules.plugins import available_rules
    from .suppressing import Scope, apply_suppressions
    from .suppression_coverage import SuppressionCoverage

    coverage = SuppressionCoverage([item.check for item in checked] if whole else [])
    scopes = [
        Scope(each.source, item.rules, partial(coverage.is_whole, each), each.unread)
        for item in checked
        if (each := item.check).source
    ]
    return apply_suppressions(findings, scopes, available_rules())


def _not_checked(paths: Sequence[str]) -> Iterator[InputResult]:
    """The inputs that a run did not come to; the first one says so for all."""
    for number, path in enumerate(paths):
        more = len(paths) - 1
        others = f", nor {plural(more, 'other file')}" if more else ""
        message = f"not checked{others}: the run was interrupted"
        problem = Problem(path, message, "run it again", Damage.FATAL)
        yield InputResult(path, "none", 0, 0, problems=() if number else (problem,))


def launched_elsewhere(checks: Sequence[FileCheck]) -> list[set[str]]:
    """The kernels of each file that another input launches, by their names in findings.

    They are judged there: no block has to be guessed, or what is passed.
    """
    real = cache(os.path.realpath)
    launched = {(real(path), at) for item in checks for path, at in item.launched}
    seen = {(real(path), at) for item in checks for path, at in item.seen}
    found: list[set[str]] = []
    for item in checks:
        places: dict[str, list[bool]] = {}
        for name, (path, at) in item.guessed:
            better = launched if (path, at) in item.seen else launched | seen
            places.setdefault(name, []).append((real(path), at) in better)
        found.append({name for name, known in places.items() if all(known)})
    return found


def judged(checks: Sequence[FileCheck], elsewhere: Sequence[set[str]]) -> Iterator[Judged]:
    """Which places of kernels a run analysed or not, without kernels that are launched
    elsewhere.
    """
    for item, left_out in zip(checks, elsewhere, strict=True):
        yield from (each for each in item.judged if each.kernel not in left_out)


def _sheets(checks: Sequence[FileCheck], elsewhere: Sequence[set[str]]) -> tuple[KernelSheet, ...]:
    """The sheet of each instance of each kernel, of a launch that somebody states if one does."""
    real = cache(os.path.realpath)
    kept: dict[tuple[str, int, str], KernelSheet] = {}
    for item, left_out in zip(checks, elsewhere, strict=True):
        for sheet in item.sheets:
            if sheet.name not in left_out:
                key = (real(sheet.header.path), sheet.header.start, sheet.name)
                if key not in kept or (kept[key].guessed and not sheet.guessed):
                    kept[key] = sheet
    return tuple(kept.values())


def _coverage(checks: Sequence[FileCheck], elsewhere: Sequence[set[str]]) -> Coverage:
    """How much of all files was analysed."""
    return coverage_of(
        judged(checks, elsewhere),
        (place for item in checks for place in item.definitions),
        (name for item in checks for name in item.missing_headers),
    )


def _distinct(
    checked: Sequence[Checked], elsewhere: Sequence[set[str]]
) -> tuple[list[Finding], set[int]]:
    """Each finding once, the surer one of two, and the ids of those that nobody asked for.

    A file has several names when it is included; what is only possible has to be asked for.
    """
    real = cache(os.path.realpath)
    kept: dict[tuple[str, int, int, str, str], Finding] = {}
    asked: set[int] = set()
    for item, left_out in zip(checked, elsewhere, strict=True):
        for finding in item.check.findings:
            if finding.kernel in left_out:
                continue
            span = finding.span
            key = (real(span.path), span.start, span.end, finding.rule.code, finding.text)
            definite = finding.certainty is Certainty.DEFINITE
            if key not in kept or (definite and kept[key].certainty is Certainty.POSSIBLE):
                kept[key] = finding
                if definite or item.show_possible:
                    asked.add(id(finding))
    return list(kept.values()), {id(finding) for finding in kept.values()} - asked
