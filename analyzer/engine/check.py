"""One run of `check`: every file read, every rule applied to every kernel, results collected.

In: files, and the profile (settings and rules) of each. Out: a `RunResult`. `file_check.py` does
one file.
The same finding of two inputs (a kernel in a header that both include) or of two instances of a
template is kept once.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from ..config.project import Profile
from ..findings.finding import Certainty
from ..ir.kernel_identity import Exports
from ..source.problem import Damage, Problem
from ..source.records import dataclass
from ..source.words import plural
from .coverage import Judged, coverage_of, kernel_coverage
from .file_check import Extras, FileCheck, check_file
from .launches_elsewhere import kernel_words, launches_between, launches_elsewhere
from .processes.deep_stack import deeply
from .processes.stopping import Stopped
from .processes.workers import Task, shared_work
from .reading import read_exports, read_paths
from .result import InputResult, RunResult
from .touched import touched_works

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..config.settings import Settings
    from ..findings.finding import Finding
    from ..findings.kernel_sheets import KernelSheet
    from ..findings.rule import Rule
    from ..findings.suppressions import Suppression
    from .changes import Changes
    from .coverage import Coverage, KernelCoverage
    from .inputs import InputFile, Inputs
    from .inspection import Inspection
    from .launches_elsewhere import Elsewhere
    from .result_cache import Results


@dataclass(frozen=True, slots=True)
class Work:
    """One file and what applies to it: what a worker gets."""

    file: InputFile
    profile: Profile
    elsewhere: Elsewhere = ()  # launches in other files that may be of its kernels


def check(inputs: Inputs, settings: Settings, rules: Sequence[Rule]) -> RunResult:
    """Apply `rules` to all inputs, with the same settings for each."""
    profile = Profile(settings, tuple(rules))
    return check_inputs(inputs, lambda path: profile, arch=settings.arch)


@dataclass(frozen=True, slots=True)
class Means:
    """What a run may use: processes, stored results, and a place to say how far it is."""

    jobs: int = 1
    cache: Results | None = None
    progress: Callable[[int, int], None] | None = None
    partial: bool = False  # what was found until the run was asked to end is a result
    elsewhere: Mapping[str, Elsewhere] | None = None  # by path; None: to be looked for
    changes: Changes | None = None  # only what these can touch is asked for
    extras: Extras | None = None


def check_inputs(
    inputs: Inputs,
    profile_of: Callable[[str], Profile],
    *,
    arch: int,
    means: Means | None = None,
) -> RunResult:
    """Apply to each input what its profile says; `arch` is that of the run.

    Raises `Stopped` when the run is asked to end, unless what was found until then is of use.
    """
    means = means or Means()
    every = [Work(file, profile_of(file.path)) for file in inputs.files]
    elsewhere = launches_of_run(every, means) if means.elsewhere is None else means.elsewhere
    every = [replace(work, elsewhere=elsewhere.get(work.file.path, ())) for work in every]
    named, every = len(every), touched_of_run(every, means)
    checking: Callable[[Work], FileCheck] = partial(check_work, extras=means.extras)
    if means.cache is not None and (means.extras is None or means.extras.sheet is None):
        checking = partial(means.cache.check, check=checking)
    done = shared_work(Task(checking, every, _lost, _size), means.jobs, means.progress)
    if done.stopped and not means.partial:
        raise Stopped(done.stopped)
    works = [work for number, work in enumerate(every) if number in done.results]
    checks = [done.results[number] for number in sorted(done.results)]
    judged_elsewhere = _launched_elsewhere(checks)
    distinct, dead = _distinct(works, checks, judged_elsewhere)
    kept, suppressed = _suppressed(distinct, works, checks, stopped=bool(done.stopped))
    refused = [InputResult(p.path, "none", 0, 0, problems=(p,)) for p in inputs.problems]
    left = [work.file.path for number, work in enumerate(every) if number not in done.results]
    shown = [finding for finding in kept if id(finding) not in dead]
    applied = {rule.code: rule for work in works for rule in work.profile.rules}
    sheets = _sheets(checks, judged_elsewhere)
    return RunResult(
        findings=tuple(sorted(shown, key=lambda finding: finding.sort_key)),
        inputs=(*(item.result() for item in checks), *refused, *_not_checked(left)),
        rules=tuple(applied[code] for code in sorted(applied)),
        arch=arch,
        suppressed=tuple(sorted(suppressed, key=lambda pair: pair[0].sort_key)),
        hidden=len(kept) - len(shown),
        untouched=named - len(every),
        excluded=inputs.excluded,
        stopped=done.stopped,
        coverage=_coverage(checks, judged_elsewhere),
        sheets=sheets,
        judged=tuple(kernel_coverage(_judged(checks, judged_elsewhere))) if sheets else (),
        notes=tuple(dict.fromkeys(note for item in checks for note in item.notes)),
    )


def launches_of_run(works: Sequence[Work], means: Means) -> dict[str, Elsewhere]:
    """By path, the launches that other files of the run have of a file's kernels."""
    by_path = {work.file.path: work for work in works}
    reading = _exports if means.cache is None else partial(means.cache.exports, read=_exports)

    def read(files: Sequence[InputFile]) -> list[Exports]:
        found = _all_read(reading, [by_path[file.path] for file in files], means.jobs)
        return [item.exports or Exports() for item in found]

    words = set().union(*(kernel_words(work.profile.settings) for work in works))
    return launches_elsewhere([work.file for work in works], read, words)


def touched_of_run(works: Sequence[Work], means: Means) -> list[Work]:
    """The files of a run that what changed can have a finding in; all where that is not asked."""
    if means.changes is None:
        return list(works)
    reading = _reads if means.cache is None else partial(means.cache.reads, read=_reads)
    reads = [item.reads for item in _all_read(reading, works, means.jobs)]
    return touched_works(works, reads, means.changes)


def _all_read(
    reading: Callable[[Work], FileCheck], works: Sequence[Work], jobs: int
) -> list[FileCheck]:
    """What was read of each file; `Stopped` if that was not done."""
    done = shared_work(Task(reading, works, _lost, _size), jobs)
    if done.stopped:
        raise Stopped(done.stopped)
    return [done.results[number] for number in range(len(works))]


def _reads(work: Work) -> FileCheck:
    outcome = FileCheck(work.file)
    outcome.source, outcome.reads = deeply(partial(read_paths, work.file, work.profile.settings))
    return outcome


def _exports(work: Work) -> FileCheck:
    outcome = FileCheck(work.file)
    outcome.source, outcome.exports = deeply(
        partial(read_exports, work.file, work.profile.settings)
    )
    return outcome


def judge_files(
    files: Iterable[InputFile], settings: Settings, rules: Sequence[Rule]
) -> Inspection[KernelCoverage]:
    """What `check` would count as analysed or not, kernel by kernel."""
    from .inspection import Inspection

    every = tuple(files)
    elsewhere = launches_between(every, settings)
    checks = [
        deeply(partial(check_file, file, settings, rules, elsewhere.get(file.path, ())))
        for file in every
    ]
    rows = kernel_coverage(_judged(checks, _launched_elsewhere(checks)))
    return Inspection(tuple(rows), tuple(item.result() for item in checks))


def _size(work: Work) -> int:
    """How much there is to read in a file, which says roughly how long its check will take."""
    if work.file.data is not None:
        return len(work.file.data)
    try:
        return os.stat(work.file.path).st_size
    except OSError:
        return 0


def _lost(work: Work, how: str) -> FileCheck:
    """The result of a file whose process died, twice."""
    path = work.file.path
    message = f"not analysed: the process that checked it {how}"
    advice = "check whether there is enough memory for it alone; if so, this is a bug of warplint"
    return FileCheck(work.file, problems=[Problem(path, message, advice, Damage.FATAL)])


def _not_checked(paths: Sequence[str]) -> Iterator[InputResult]:
    """The inputs that a run did not come to; the first one says so for all."""
    for number, path in enumerate(paths):
        more = len(paths) - 1
        others = f", nor {plural(more, 'other file')}" if more else ""
        message = f"not checked{others}: the run was interrupted"
        problem = Problem(path, message, "run it again", Damage.FATAL)
        yield InputResult(path, "none", 0, 0, problems=() if number else (problem,))


def _suppressed(
    findings: list[Finding], works: Sequence[Work], checks: Sequence[FileCheck], *, stopped: bool
) -> tuple[list[Finding], list[tuple[Finding, Suppression]]]:
    """The findings that remain and the suppressed ones; most runs meet no suppression at all.

    Of a run that was stopped, no suppression can be called unused.
    """
    sources = {item.source for item in checks if item.source}
    sources |= {finding.span.source for finding in findings}
    if not any("warplint:" in source.text for source in sources):
        return findings, []
    from ...rules.plugins import available_rules
    from .suppressing import Scope, apply_suppressions
    from .suppression_coverage import SuppressionCoverage

    coverage = SuppressionCoverage([] if stopped else checks)
    scopes = [
        Scope(item.source, work.profile.rules, partial(coverage.is_whole, item), item.unread)
        for work, item in zip(works, checks, strict=True)
        if item.source
    ]
    return apply_suppressions(findings, scopes, available_rules())


def check_work(work: Work, extras: Extras | None = None) -> FileCheck:
    """Apply its profile to one file; never raises."""
    settings, severities = work.profile.settings, work.profile.severities
    outcome = deeply(
        partial(check_file, work.file, settings, work.profile.rules, work.elsewhere, extras)
    )
    known = {rule.code: rule for rule in work.profile.rules}  # with their pages
    outcome.findings = [
        replace(
            finding,
            rule=known.get(finding.rule.code, finding.rule),
            arch=finding.arch or settings.arch,
            severity=severities.get(finding.rule.code, finding.severity),
        )
        for finding in outcome.findings
    ]
    return outcome


def _launched_elsewhere(checks: Sequence[FileCheck]) -> list[set[str]]:
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


def _judged(checks: Sequence[FileCheck], elsewhere: Sequence[set[str]]) -> Iterator[Judged]:
    for item, left_out in zip(checks, elsewhere, strict=True):
        yield from (judged for judged in item.judged if judged.kernel not in left_out)


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
        _judged(checks, elsewhere),
        (place for item in checks for place in item.definitions),
        (name for item in checks for name in item.missing_headers),
    )


def _distinct(
    works: Sequence[Work], checks: Sequence[FileCheck], elsewhere: Sequence[set[str]]
) -> tuple[list[Finding], set[int]]:
    """Each finding once, the surer one of two, and the ids of those that nobody asked for.

    A file has several names when it is included; what is only possible has to be asked for.
    """
    real = cache(os.path.realpath)
    kept: dict[tuple[str, int, int, str, str], Finding] = {}
    asked: set[int] = set()
    for work, item, left_out in zip(works, checks, elsewhere, strict=True):
        for finding in item.findings:
            if finding.kernel in left_out:
                continue
            span = finding.span
            key = (real(span.path), span.start, span.end, finding.rule.code, finding.text)
            definite = finding.certainty is Certainty.DEFINITE
            if key not in kept or (definite and kept[key].certainty is Certainty.POSSIBLE):
                kept[key] = finding
                if definite or work.profile.settings.show_possible:
                    asked.add(id(finding))
    return list(kept.values()), {id(finding) for finding in kept.values()} - asked
