"""One run of `warplint check`: the findings that a command line asks for, before and after fixes.

In: the project, the inputs, and what is asked for. Out: results. Files only change in `changed`,
and the baseline where it is to be updated.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from ..config.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..analyses.evidence import Evidence
    from ..config.project import Profile, Project
    from ..engine.inputs import InputFile, Inputs
    from ..engine.result import RunResult
    from ..findings.finding import Edit, Finding
    from ..report.palette import Palette
    from ..source.problem import Problem
    from .check_request import Request

    Offers = Callable[[Finding], Iterable[tuple[Edit, ...]]]


def refuse_standard_input(inputs: Inputs) -> None:
    """The standard input cannot be written."""
    if any(file.data is not None for file in inputs.files):
        raise UsageError("the standard input cannot be changed", "name the files")


def read_logs(names: Iterable[str]) -> Evidence | None:
    """What build logs say of kernels; None without any."""
    from ..analyses.evidence import Evidence
    from ..resources.ptxas_log import read_log
    from .given_text import given_text

    evidence = Evidence()
    for name in names:
        evidence.add_log(read_log(given_text(name).text), name)
    return evidence if evidence.rungs else None


class CheckRun:
    """What `check` does with its inputs."""

    def __init__(self, project: Project, inputs: Inputs, request: Request | None = None) -> None:
        from ...rules import load_rules

        self._project = project
        self._inputs = inputs
        self._request = request
        self._rules = load_rules()
        self._evidence = read_logs(request.logs) if request is not None else None
        project.check(self._rules)

    def result(self) -> RunResult:
        """The findings of all inputs, without those that the command line leaves out."""
        from ..engine.workers import processors
        from .progress import progress

        request = self._request
        changes = None
        if request is not None and request.diff_base is not None:
            from ..engine.changes import changed_lines

            changes = changed_lines(request.diff_base, self._inputs)
        jobs = self._project.run.jobs or processors()
        result = self._check(self._inputs, jobs, progress())
        if request is not None:
            result = self._without_known(result, update=request.update_baseline)
        return result if changes is None else changes.only(result)

    def _without_known(self, result: RunResult, *, update: bool) -> RunResult:
        """The findings that the baseline does not know; `update` writes them down first."""
        path = self._project.run.baseline
        if path is None:
            if update:
                raise UsageError("--update-baseline needs a file", "give --baseline FILE")
            return result
        from ..engine.baseline import Baseline, read_baseline

        if not update:
            return read_baseline(path).only_new(result)
        from ... import __version__
        from .output import protect_inputs, write_report

        protect_inputs(path, (file.path for file in self._inputs.files))
        old = read_baseline(path) if os.path.exists(path) else Baseline(path)
        new = old.updated(result)
        write_report(new.text(__version__), path)
        return new.only_new(result)

    def difference(self, offers: Offers, palette: Palette) -> tuple[str, list[Problem], int]:
        """What edits would change: a diff, the problems met, and the exit code."""
        from ..engine.result import ExitCode, problems_exit_code
        from .fixes import differences, fixes_of

        refuse_standard_input(self._inputs)
        result = self.result()
        changed, met = fixes_of(result, self._inputs, self._check_one, offers)
        problems = [*result.problems, *met]
        found = ExitCode.FINDINGS if changed else ExitCode.CLEAN
        code = int(max(found, problems_exit_code(problems)))
        return differences(changed, palette), problems, code

    def changed(self, offers: Offers) -> RunResult:
        """The findings that are left after the edits, which are made in the files."""
        from .fixes import fixes_of, write_files

        refuse_standard_input(self._inputs)
        result = self.result()
        changed, problems = fixes_of(result, self._inputs, self._check_one, offers)
        written, unwritten = write_files(changed)
        if written:
            result = self.result()
        trouble = (*problems, *unwritten)
        mends = self._request is not None and self._request.fix
        return replace(result, fixed=written if mends else 0, trouble=trouble)

    def _profile(self, path: str) -> Profile:
        profile = self._project.profile(path, self._rules)
        if self._evidence is None:
            return profile
        return replace(profile, settings=replace(profile.settings, evidence=self._evidence))

    def _check_one(self, file: InputFile) -> RunResult:
        from ..engine.inputs import Inputs

        return self._check(Inputs([file]), 1)

    def _check(
        self, inputs: Inputs, jobs: int, progress: Callable[[int, int], None] | None = None
    ) -> RunResult:
        from ..engine.check import check_inputs

        result = check_inputs(
            inputs,
            self._profile,
            arch=self._project.settings.arch,
            jobs=jobs,
            progress=progress,
        )
        applied = {rule.code for rule in result.rules}
        return replace(result, off=tuple(code for code in self._rules if code not in applied))
