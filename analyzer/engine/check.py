"""One run of `check`: every file read, every rule applied to every kernel, results collected.

In: files, and the profile (settings and rules) of each. Out: a `RunResult`. `file_check.py` does
one file, `combining.py` makes one result of all.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ..config.project import Profile
from ..ir.kernel_identity import Exports
from ..source.problem import Damage, Problem
from ..source.records import dataclass
from .combining import Around, Checked, Part, combined, judged, launched_elsewhere
from .coverage import kernel_coverage
from .file_check import Extras, FileCheck, check_file
from .includers import names_included
from .inputs import is_header, with_kernels
from .launches_elsewhere import kernel_words, launches_between, launches_elsewhere, text_of
from .processes.deep_stack import deeply
from .processes.stopping import Stopped
from .processes.workers import Task, processes_for, shared_work
from .reading import read_exports, read_paths
from .touched import touched_works

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..config.settings import Settings
    from ..config.share import Share
    from ..cuda.held_units import HeldUnits
    from ..findings.rule import Rule
    from .changes import Changes
    from .coverage import KernelCoverage
    from .inputs import InputFile, Inputs
    from .inspection import Inspection
    from .launches_elsewhere import Elsewhere
    from .processes.workers import Done, Sharing
    from .result import RunResult
    from .result_cache import Results


@dataclass(frozen=True, slots=True)
class Work:
    """One file of a run and what applies to it: what a worker gets."""

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
    share: Share | None = None  # of the files; None: all of them
    workers: Sharing | None = None  # who checks files elsewhere; None: processes of this machine

    def units_of(self, works: Sequence[Work]) -> HeldUnits | None:
        """Where files are held between two steps of a run that does both in this process."""
        alone = self.workers is None and processes_for(len(works), self.jobs) < 2
        others = self.share is None and self.changes is None and self.extras is None
        if not (alone and others) or len(works) < 2:
            return None
        from ..cuda.held_units import HeldUnits

        return HeldUnits(frozenset(work.file.path for work in works))

    def shared(
        self,
        function: Callable[[Work], FileCheck],
        works: Sequence[Work],
        progress: Callable[[int, int], None] | None = None,
    ) -> Done[FileCheck]:
        """What a function says of each file."""
        task = Task(function, works, _lost, _size)
        if self.workers is not None:
            return self.workers.shared_work(task, progress)
        return shared_work(task, self.jobs, progress)


def check_inputs(
    inputs: Inputs,
    profile_of: Callable[[str], Profile],
    *,
    arch: int,
    means: Means | None = None,
) -> RunResult:
    """The run of `check` over inputs, each with its own profile; `arch` is that of the run.

    Raises `Stopped` when the run is asked to end, unless what was found until then is of use.
    """
    result = combined(checked_part(inputs, profile_of, arch=arch, means=means or Means()))
    if any(item.kernels for item in result.inputs):
        return result
    return replace(result, aside=with_kernels(inputs.headers))


def checked_part(
    inputs: Inputs, profile_of: Callable[[str], Profile], *, arch: int, means: Means
) -> Part:
    """The files of a run, or of a share of it, checked, each with its own result."""
    every = [Work(file, profile_of(file.path)) for file in inputs.files]
    units = means.units_of(every)
    elsewhere = means.elsewhere
    elsewhere = launches_of_run(every, means, units) if elsewhere is None else elsewhere
    every = [replace(work, elsewhere=elsewhere.get(work.file.path, ())) for work in every]
    named, every = len(every), touched_of_run(every, means)
    numbers: Sequence[int] = range(len(every))
    if means.share is not None:
        from .shards import share_of

        numbers = share_of([_size(work) for work in every], means.share)
    mine = [every[number] for number in numbers]
    extras = replace(means.extras or extras_of_run(mine), units=units)
    checking: Callable[[Work], FileCheck] = partial(check_work, extras=extras)
    if means.cache is not None and extras.sheet is None:
        checking = partial(means.cache.check, check=checking)
    done = means.shared(checking, mine, means.progress)
    if done.stopped and not means.partial:
        raise Stopped(done.stopped)
    if done.stopped:
        _leave_awaited(done.results, mine)
    remarks = _unnamed(every)
    if remarks and 0 in done.results and numbers[0] == 0:
        first = done.results[0]
        done.results[0] = replace(first, problems=[*first.problems, *remarks])
    checked = {
        numbers[at]: Checked(
            done.results[at], work.profile.rules, work.profile.settings.show_possible
        )
        for at, work in enumerate(mine)
        if at in done.results
    }
    around = Around(
        arch=arch,
        refused=inputs.problems,
        left=[work.file.path for at, work in enumerate(mine) if at not in done.results],
        excluded=inputs.excluded,
        untouched=named - len(every),
        stopped=done.stopped,
    )
    return Part(checked, around, means.share, len(every))


def _leave_awaited(results: dict[int, FileCheck], works: Sequence[Work]) -> None:
    """Take back what was said of headers by themselves where a file that the run did not come to
    includes them: it may define macros before, launch their kernels, and have the say.
    """
    awaited = names_included([each.file for at, each in enumerate(works) if at not in results])
    for at in [at for at in results if awaited[os.path.basename(works[at].file.path)]]:
        if is_header(works[at].file.path):
            del results[at]


def _unnamed(works: Sequence[Work]) -> list[Problem]:
    """The launches of the command line that name no kernel of the inputs."""
    stated = dict.fromkeys(each for work in works for each in work.profile.settings.launches)
    if not stated:
        return []
    from .kernels.stated_launches import unnamed

    return list(unnamed(stated, (text_of(work.file) for work in works)))


def extras_of_run(works: Sequence[Work]) -> Extras:
    """What one process of a run keeps: the kernels of headers that more than one file may read."""
    if len(works) < 2:
        return Extras()
    from .kernel_results import KernelResults

    return Extras(kernels=KernelResults(of_headers=True, files=tuple(w.file for w in works)))


def launches_of_run(
    works: Sequence[Work], means: Means, units: HeldUnits | None = None
) -> dict[str, Elsewhere]:
    """By path, the launches that other files of the run have of a file's kernels; what is read for
    that is held in `units`.
    """
    by_path = {work.file.path: work for work in works}
    reading: Callable[[Work], FileCheck] = partial(_exports, units=units)
    if means.cache is not None:
        reading = partial(means.cache.exports, read=reading)

    def read(files: Sequence[InputFile]) -> list[Exports]:
        # Sources around a lonely header are no inputs: they are read as the first input is.
        each = [by_path.get(file.path) or Work(file, works[0].profile) for file in files]
        found = _all_read(reading, each, means)
        return [item.exports or Exports() for item in found]

    words = set().union(*(kernel_words(work.profile.settings) for work in works))
    return launches_elsewhere([work.file for work in works], read, words)


def touched_of_run(works: Sequence[Work], means: Means) -> list[Work]:
    """The files of a run that what changed can have a finding in; all where that is not asked."""
    if means.changes is None:
        return list(works)
    reading = _reads if means.cache is None else partial(means.cache.reads, read=_reads)
    reads = [item.reads for item in _all_read(reading, works, means)]
    return touched_works(works, reads, means.changes)


def _all_read(
    reading: Callable[[Work], FileCheck], works: Sequence[Work], means: Means
) -> list[FileCheck]:
    """What was read of each file; `Stopped` if that was not done."""
    done = means.shared(reading, works)
    if done.stopped:
        raise Stopped(done.stopped)
    return [done.results[number] for number in range(len(works))]


def _reads(work: Work) -> FileCheck:
    outcome = FileCheck(work.file)
    outcome.source, outcome.reads = deeply(partial(read_paths, work.file, work.profile.settings))
    return outcome


def _exports(work: Work, units: HeldUnits | None = None) -> FileCheck:
    outcome = FileCheck(work.file)
    outcome.source, outcome.exports = deeply(
        partial(read_exports, work.file, work.profile.settings, units)
    )
    return outcome


def judge_files(
    files: Iterable[InputFile], settings: Settings, rules: Sequence[Rule]
) -> Inspection[KernelCoverage]:
    """The coverage of each kernel in a run: what `check` would count as analysed or not."""
    from .inspection import Inspection

    every = tuple(files)
    elsewhere = launches_between(every, settings)
    checks = [
        deeply(partial(check_file, file, settings, rules, elsewhere.get(file.path, ())))
        for file in every
    ]
    rows = kernel_coverage(judged(checks, launched_elsewhere(checks)))
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


def check_work(work: Work, extras: Extras | None = None) -> FileCheck:
    """Check one file of a run with its profile; never raises."""
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
