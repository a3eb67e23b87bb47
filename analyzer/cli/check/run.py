"""One run of `warplint check`: the findings that a command line asks for, before and after fixes.

In: the project, the inputs, and what is asked for. Out: results. Files only change in `changed`,
and the baseline where it is to be updated.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from ...config.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...analyses.launch.evidence import Evidence
    from ...config.project import Profile, Project
    from ...engine.changes import Changes
    from ...engine.check import Means
    from ...engine.combining import Part
    from ...engine.file_check import Extras
    from ...engine.fixing import FixedFile
    from ...engine.inputs import InputFile, Inputs
    from ...engine.launches_elsewhere import Elsewhere
    from ...engine.processes.workers import Sharing
    from ...engine.remote_results import RemoteResults
    from ...engine.result import RunResult
    from ...report.text.palette import Palette
    from ...source.problem import Problem
    from .request import Request


def piped_file(inputs: Inputs) -> InputFile | None:
    """The standard input of `check`; to be fixed in its place, it must be the only input."""
    piped = next((file for file in inputs.files if file.data is not None), None)
    if piped is not None and len(inputs.files) + len(inputs.problems) > 1:
        raise UsageError("standard input must be fixed on its own", "pass either `-` or files")
    return piped


def read_logs(names: Sequence[str]) -> Evidence | None:
    """What the build logs that a command line names say of kernels; None without any."""
    if not names:
        return None
    from ...analyses.launch.evidence import Evidence
    from ...resources.ptxas_log import read_log
    from ..shared.given_text import given_text
    from ..shared.output import print_note

    evidence = Evidence()
    for name in names:
        log = read_log(given_text(name).text)
        if not (log.kernels or log.functions):
            advice = "pass what `nvcc -Xptxas -v` or `ptxas -v` prints"
            print_note(f"`{name}` says nothing of any kernel", advice)
        evidence.add_log(log, name)
    return evidence if evidence.rungs else None


def _changes(request: Request) -> Changes | None:
    """What changed, where only that is asked for."""
    if request.diff_base is None and not request.staged:
        return None
    from ...engine.changes import changes_since, staged_changes

    return staged_changes() if request.diff_base is None else changes_since(request.diff_base)


def remote_results(request: Request) -> RemoteResults | None:
    """Where results are shared, if they are and it answers; an address that is none is refused.

    Edits are made of what this machine has found itself: a result of another one may hold any.
    """
    if not request.remote_cache or request.changes_files or request.show_diff:
        return None
    from ...engine.remote_results import RemoteError, RemoteResults
    from ..shared.output import print_note

    remote = RemoteResults(request.remote_cache, writes=not request.remote_cache_read_only)
    try:
        trouble = remote.trouble()
    except RemoteError as error:
        raise UsageError(error.message, error.advice) from None
    if trouble:
        message = f"the remote cache {request.remote_cache} is not used: {trouble}"
        print_note(message, "the run goes on without it")
        return None
    return remote


class CheckRun:
    """What `check` does with its inputs."""

    def __init__(
        self,
        project: Project,
        inputs: Inputs,
        request: Request | None = None,
        *,
        cached: bool = True,
        sheets: bool = False,
        workers: Sharing | None = None,
    ) -> None:
        from ...engine.result_cache import result_cache

        self._project = project
        self._inputs = inputs
        self._request = request
        self._rules = project.rules()
        self._sheets = sheets
        self._workers = workers
        self._evidence = read_logs(request.logs) if request is not None else None
        remote = remote_results(request) if cached and request is not None else None
        self._cache = result_cache(remote) if cached else None
        project.check(self._rules)

    def result(self) -> RunResult:
        """The findings of all inputs, without those that the command line leaves out."""
        from ...engine.check import Means
        from ..shared.progress import progress

        request = self._request
        changes = None if request is None else _changes(request)
        means = Means(
            self._jobs,
            self._cache,
            progress(),
            partial=self._only_reports,
            # A baseline is compared with all that there is.
            changes=changes if self._project.run.baseline is None else None,
            extras=self._extras,
            workers=self._workers,
        )
        with nullcontext() if changes is None else changes.reading():
            result = self._check(self._inputs, means)
        if request is not None:
            result = self._without_known(result, update=request.update_baseline)
        return result if changes is None else changes.only(result, self._inputs)

    def part(self) -> Part:
        """What was said of the files of a share."""
        from ...engine.check import Means, checked_part
        from ..shared.progress import progress

        assert self._request is not None
        share = self._request.share
        means = Means(self._jobs, self._cache, progress(), share=share, workers=self._workers)
        arch = self._project.settings.arch
        return checked_part(self._inputs, self._profile, arch=arch, means=means)

    @property
    def _extras(self) -> Extras | None:
        """What is kept of kernels beside their findings, where the report draws it."""
        if not self._sheets:
            return None
        from ...engine.file_check import Extras
        from ...report.html.gathering import kernel_sheet

        return Extras(sheet=kernel_sheet)

    @property
    def _jobs(self) -> int:
        from ...engine.processes.workers import processors

        return self._project.run.jobs or processors()

    @property
    def _only_reports(self) -> bool:
        """Whether nothing is written or changed by what is found."""
        asked = self._request
        return asked is not None and not (
            asked.changes_files or asked.show_diff or asked.update_baseline
        )

    def _without_known(self, result: RunResult, *, update: bool) -> RunResult:
        """The findings that the baseline does not know; `update` writes them down first."""
        path = self._project.run.baseline
        if path is None:
            if update:
                raise UsageError("--update-baseline needs a file", "pass --baseline FILE")
            return result
        from ...engine.baseline import Baseline, read_baseline

        if not update:
            new = read_baseline(path).only_new(result)
            return replace(new, stale=0) if result.stopped else new
        from .... import __version__
        from ..shared.output import protect_inputs, write_report

        protect_inputs(path, (file.path for file in self._inputs.files))
        old = read_baseline(path) if os.path.exists(path) else Baseline(path)
        updated = old.updated(result)
        write_report(updated.text(__version__), path)
        return updated.only_new(result)

    def difference(self, palette: Palette) -> tuple[str, list[Problem], int]:
        """What edits would change: a diff, the problems met, and the exit code."""
        from ...engine.result import ExitCode, problems_exit_code
        from .fixes import differences

        result = self.result()
        changed, met = self._changes(result)
        problems = [*result.problems, *met]
        found = ExitCode.FINDINGS if changed else ExitCode.CLEAN
        code = int(max(found, problems_exit_code(problems)))
        return differences(changed, palette), problems, code

    def _changes(self, result: RunResult) -> tuple[list[FixedFile], list[Problem]]:
        """The files that the command line asks to change."""
        from ...engine.inputs import is_python
        from .fixes import fixes_of, suppressions_of

        assert self._request is not None  # only `check` changes files
        if any(is_python(file.path) for file in self._inputs.files):
            raise UsageError(
                "kernels in the strings of Python files cannot be changed",
                "leave out --python, or make the edits by hand",
            )
        if self._request.ignore_reason is not None:
            return suppressions_of(result, self._inputs, self._request.ignore_reason)
        from ...engine.fixing import offered

        offers = partial(offered, unsafe=self._request.unsafe_fixes)
        return fixes_of(result, self._inputs, self._check_one, offers)

    def changed(self) -> tuple[RunResult, bytes | None]:
        """The findings that are left after the edits, which are made in the files.

        The text of the standard input is handed back instead, edited or not.
        """
        from .fixes import write_files

        piped = piped_file(self._inputs)
        result = self.result()
        changed, problems = self._changes(result)
        if piped is None:
            written, unwritten = write_files(changed)
            problems += unwritten
        else:
            written = sum(len(item.fixed) for item in changed)
            piped = replace(piped, data=changed[0].after if changed else piped.data)
            self._inputs = replace(self._inputs, files=[piped])
        if written:
            result = self.result()
        mends = self._request is not None and self._request.fixes
        result = replace(result, fixed=written if mends else 0, trouble=tuple(problems))
        return result, None if piped is None else piped.data

    def _profile(self, path: str) -> Profile:
        profile = self._project.profile(path, self._rules)
        if self._evidence is None:
            return profile
        return replace(profile, settings=replace(profile.settings, evidence=self._evidence))

    def _check_one(self, file: InputFile) -> RunResult:
        from ...engine.check import Means
        from ...engine.inputs import Inputs

        return self._check(Inputs([file]), Means(elsewhere=self._elsewhere))

    @cached_property
    def _elsewhere(self) -> dict[str, Elsewhere]:
        """The launches that the files have of each other's kernels."""
        from ...engine.check import Means, Work, launches_of_run

        works = [Work(file, self._profile(file.path)) for file in self._inputs.files]
        return launches_of_run(works, Means(self._jobs, self._cache))

    def _check(self, inputs: Inputs, means: Means | None = None) -> RunResult:
        from ...engine.check import check_inputs

        result = check_inputs(
            inputs,
            self._profile,
            arch=self._project.settings.arch,
            means=means,
        )
        return with_rules_off(result, self._rules)


def with_rules_off(result: RunResult, rules: Iterable[str]) -> RunResult:
    """The result of `check` with the codes of the rules that were applied to no input."""
    applied = {rule.code for rule in result.rules}
    return replace(result, off=tuple(code for code in rules if code not in applied))
