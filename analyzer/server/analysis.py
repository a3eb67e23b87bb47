"""What the analysing process does: check all open documents, and say how text is to be changed.

In: jobs, as plain data: what changed in the documents, and what is asked. Out: plain data, with
places in the encoding of the client. The documents are the inputs of one run, as if they were
named together on a command line, and their texts stand in for the files of the disk; a document
whose configuration cannot be read is left out and says why. Files that did not change are not
checked again (`kept/results.py`).
Nothing of a workspace is run, and no configuration of one can make anything run.
"""

from __future__ import annotations

import os
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from ..config.configuration import Configuration, read_table
from ..config.discovery import forget_configurations
from ..config.errors import UsageError
from ..config.project import CommandLine, Project, usable_rules
from ..engine.baseline import read_baseline
from ..engine.check import Means, Work, check_inputs, launches_of_run
from ..engine.file_check import Extras
from ..engine.inputs import Inputs
from ..engine.walking import Exclusion, Walk, WalkOptions
from ..findings.joining import joined
from ..findings.notes import Annotator
from ..report.editor.notes import kernel_notes, module_notes
from ..source.problem import Damage, Problem
from ..source.records import dataclass
from ..source.stand_ins import unsaved
from .baselines import add_to_baseline
from .changes import Changing, single_findings
from .diagnostics import Writing, diagnostic, problem_diagnostic, refusal
from .documents import Document, Documents, buffer_path, language_of
from .kept.edited_kernels import EditedKernels
from .kept.results import KeptResults
from .pictures import notes_of, offers_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from ..config.project import Profile
    from ..engine.baseline import Baseline
    from ..engine.inputs import InputFile
    from ..engine.result import RunResult
    from ..findings.finding import Finding

Plain = dict[str, Any]


@dataclass(slots=True)
class Run:
    """The last check for an editor, to which its code actions refer."""

    number: int
    result: RunResult
    shown: tuple[Finding, ...]  # one for each cause, by its number
    profiles: Mapping[str, Profile]  # by path
    refused: dict[str, UsageError] = field(default_factory=dict)  # by URI
    baselines: Mapping[str, str] = field(default_factory=dict)  # by path, the file of its own


class Analysis:
    """The state of the process that analyses for an editor."""

    def __init__(self) -> None:
        self._documents = Documents()
        self._results = KeptResults()
        self.kernels = EditedKernels()
        self._extras = Extras(Annotator(kernel_notes, module_notes), self.kernels)
        self._line = CommandLine()
        self._writing = Writing("utf-16", self._documents.uri_of)
        self._run: Run | None = None

    def do(self, job: Plain) -> Plain:
        """The answer to one job; raises UsageError for settings that cannot be used."""
        if job["do"] == "set":
            return self._set(job)
        if job["do"] == "documents":
            self._documents.change(map(_document, job["opened"]), job["closed"])
            return {}
        if job["do"] == "check":
            return self._check(job)
        return self._change(job)

    # ---- settings ----------------------------------------------------------------------------

    def _set(self, job: Plain) -> Plain:
        """How places are written, and what the editor's settings say on top of configurations."""
        self._writing = Writing(job["encoding"], self._documents.uri_of, job["rule_url"])
        said, _ = read_table(job["configuration"], "the settings of the editor")
        if said.rule_folders:
            advice = "install them as a package: docs/rule_api.md says how"
            raise UsageError("the server runs no rules of folders", advice)
        said = Configuration(**{name: getattr(said, name) for name in _fields(said)})
        self._line = CommandLine(said, isolated=job["isolated"])
        return {}

    # ---- checking ----------------------------------------------------------------------------

    def _check(self, job: Plain) -> Plain:
        with unsaved(self._documents.texts):
            self._run = run = self._checked(job["id"])
        return {
            "files": self._pictures(run),
            "refused": {uri: [refusal(e.message, e.advice)] for uri, e in run.refused.items()},
            "memory": used_memory(),
        }

    def _checked(self, number: int) -> Run:
        rules = usable_rules(())  # those of installed packages; no folder of a workspace
        forget_configurations()
        project = Project(self._line)
        profiles: dict[str, Profile] = {}
        inputs = Inputs()
        refused: dict[str, UsageError] = {}
        baselines: dict[str, Baseline] = {}
        baseline_of: dict[str, str] = {}
        unused: list[str] = []
        for document in self._documents:
            file = document.input
            try:
                if file is None or _is_excluded(project, file.path):
                    continue
                if project.at(file.path).rule_folders:
                    unused.append(file.path)
                known = project.at(file.path).baseline
                if known is not None:
                    baseline_of[file.path] = known
                    if known not in baselines:
                        baselines[known] = read_baseline(known)
                profiles[file.path] = project.profile(file.path, rules)
                inputs.files.append(file)
            except UsageError as error:
                refused[document.uri] = error
        arch = max((each.settings.arch for each in profiles.values()), default=0)
        means = Means(cache=self._results, extras=self._extras)
        result = check_inputs(inputs, profiles.__getitem__, arch=arch, means=means)
        for name, baseline in baselines.items():
            others = {path for path in profiles if baseline_of.get(path) != name}
            result = _only_new(result, baseline, others)
        result = replace(result, trouble=tuple(map(_rules_not_used, unused)))
        shown = tuple(_joined_in_each_file(result.findings))
        return Run(number, result, shown, profiles, refused, baseline_of)

    def _pictures(self, run: Run) -> Plain:
        """What is to be shown, by URI; open documents of which nothing is are there, too."""
        writing = self._writing
        files: Plain = {each.uri: _picture() for each in self._documents}

        def of(path: str) -> Plain:
            picture: Plain = files.setdefault(writing.uri_of(path), _picture())
            return picture

        for number, finding in enumerate(run.shown):
            picture = of(finding.span.path)
            picture["diagnostics"].append(diagnostic(finding, number, writing))
            baseline = finding.span.path in run.baselines
            picture["offers"].append(offers_of(finding, number, writing, baseline=baseline))
        for problem in run.result.problems:
            path = problem.path if problem.span is None else problem.span.path
            of(path)["diagnostics"].append(problem_diagnostic(problem, writing))
        for path, notes in notes_of(run.result.notes, writing).items():
            of(path)["notes"] = notes
        return files

    # ---- changes of text ---------------------------------------------------------------------

    def _change(self, job: Plain) -> Plain:
        """The edits that a code action makes; none, and why, where it does not help."""
        run = self._run
        if run is None or run.number != job["run"]:
            return {"why": "the text has changed since"}
        if job["do"] == "baseline":
            finding = run.shown[job["finding"]]
            path = run.baselines[finding.span.path]
            return add_to_baseline(
                path, single_findings(run.result, finding), job.get("reason", "")
            )
        with unsaved(self._documents.texts):
            changing = Changing(run.result, run.shown, self._documents, self._checking(run))
            return changing.edits(job, self._writing)

    def _checking(self, run: Run) -> Any:
        """Checks one file as the run did, with another text."""
        files = [each for document in self._documents if (each := document.input) is not None]
        works = [Work(file, run.profiles[file.path]) for file in files if file.path in run.profiles]
        elsewhere = launches_of_run(works, Means(cache=self._results))
        means = Means(cache=self._results, elsewhere=elsewhere, extras=self._extras)

        def check(file: InputFile) -> RunResult:
            profile = run.profiles[file.path]
            return check_inputs(
                Inputs([file]), lambda _: profile, arch=profile.settings.arch, means=means
            )

        return check


def _only_new(result: RunResult, baseline: Baseline, others: Collection[str]) -> RunResult:
    """The run without what a baseline knows; it does not know the findings of other projects."""
    own = tuple(each for each in result.findings if each.span.path not in others)
    new = set(map(id, baseline.only_new(replace(result, findings=own)).findings))
    kept = (each for each in result.findings if each.span.path in others or id(each) in new)
    return replace(result, findings=tuple(kept))


def _joined_in_each_file(findings: Iterable[Finding]) -> Iterator[Finding]:
    """One finding for each cause and file: each document shows what there is to do in it."""
    files: dict[str, list[Finding]] = {}
    for finding in findings:
        files.setdefault(finding.span.path, []).append(finding)
    for own in files.values():
        yield from joined(own)


def _rules_not_used(path: str) -> Problem:
    message = "the rules of `rule-folders` are not applied: an editor runs no code of a workspace"
    return Problem(path, message, "install them as a package, or run `check`", Damage.NOTICE)


def used_memory() -> int:
    """The bytes of memory of this process; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _picture() -> Plain:
    return {"diagnostics": [], "offers": [], "notes": {}}


def _fields(said: Configuration) -> list[str]:
    """All but the place of a file: what the editor says is in none."""
    return [name for name in said.__slots__ if name not in ("path", "folder")]


def _document(plain: Plain) -> Document:
    path, uri = plain["path"], plain["uri"]
    if path is not None:
        return Document(uri, path, plain["text"], language_of(path, plain["language"]))
    language = language_of("", plain["language"])
    if language is None:
        return Document(uri, plain["root"], plain["text"], None, saved=False)
    path = buffer_path(uri, plain["root"], language)
    return Document(uri, path, plain["text"], language, saved=False)


def _is_excluded(project: Project, path: str) -> bool:
    """Whether the configuration leaves out even what is named outright."""
    own = project.at(path)
    excluded = (Exclusion(own.folder, own.exclude),) if own.exclude else ()
    return Walk(WalkOptions(excluded, force=own.force_exclude is True)).excludes(path)
