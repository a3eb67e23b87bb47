"""`--fix`, `--diff` and `--add-ignore`: files that a run of `check` changes, or would change."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...source.files import SOURCE, read_regular
from ...source.problem import Damage, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ...engine.fixing import FixedFile
    from ...engine.inputs import InputFile, Inputs
    from ...engine.result import RunResult
    from ...findings.finding import Edit, Finding
    from ...report.text.palette import Palette


def fixes_of(
    result: RunResult,
    inputs: Inputs,
    check: Callable[[InputFile], RunResult],
    offers: Callable[[Finding], Iterable[tuple[Edit, ...]]],
) -> tuple[list[FixedFile], list[Problem]]:
    """The files that `check --fix` changes, and why others are left as they are."""
    from ...engine.fixing import Fixer

    fixer = Fixer(check, offers)
    fixed: list[FixedFile] = []
    problems: list[Problem] = []
    for file, findings in _by_file(result, inputs.files):
        if any(any(offers(finding)) for finding in findings):
            try:
                data = _data(file)
            except OSError as error:
                problems.append(not_changed(file.path, error.strerror or str(error)))
                continue
            outcome = fixer.fix(file, data, findings)
            if outcome is not None:
                fixed.append(outcome)
    problems += [not_changed(path, reason) for path, reason in fixer.problems]
    return fixed, problems


def suppressions_of(
    result: RunResult, inputs: Inputs, reason: str
) -> tuple[list[FixedFile], list[Problem]]:
    """The files that `check --add-ignore` changes, and why others are left as they are.

    Headers in the folders that were named get theirs, too: who names a folder means all of it.
    """
    from ...engine.edits import EditError, encoded_like
    from ...engine.fixing import FixedFile
    from ...engine.suppression_writer import with_suppressions

    changed: list[FixedFile] = []
    problems: list[Problem] = []
    for file, findings in _by_file(result, [*inputs.files, *inputs.headers]):
        source = findings[0].span.source
        text, done = with_suppressions(source, findings, reason)
        if not done:
            continue
        try:
            data = _data(file)
            after = encoded_like(data, source.text, text)
            changed.append(FixedFile(file.path, data, after, tuple(done)))
        except OSError as error:
            problems.append(not_changed(file.path, error.strerror or str(error)))
        except EditError as error:
            problems.append(not_changed(file.path, str(error)))
    return changed, problems


def write_files(changed: Sequence[FixedFile]) -> tuple[int, list[Problem]]:
    """Write the files that `check` changed; for how many findings, and what could not be
    written.
    """
    from ...engine.edits import EditError, replace_file

    mended = 0
    problems: list[Problem] = []
    for item in changed:
        try:
            replace_file(item.path, item.before, item.after)
            mended += len(item.fixed)
        except EditError as error:
            problems.append(not_changed(item.path, str(error)))
    return mended, problems


def differences(changed: Sequence[FixedFile], palette: Palette) -> str:
    """What `check --diff` would change, as a unified diff."""
    from ...report.text.difference import unified

    return "".join(unified(item.path, item.before, item.after, palette) for item in changed)


def not_changed(path: str, reason: str) -> Problem:
    """The problem of a file that `check` was to change and did not."""
    return Problem(path, f"not changed: {reason}", "nothing was lost", Damage.FATAL, usage=True)


def _data(file: InputFile) -> bytes:
    if file.data is not None:
        return file.data
    return read_regular(file.path, SOURCE)


def _by_file(
    result: RunResult, files: Iterable[InputFile]
) -> Iterator[tuple[InputFile, list[Finding]]]:
    """The files that findings speak of, each with its findings."""
    found: dict[str, list[Finding]] = {}
    for finding in result.findings:
        found.setdefault(os.path.realpath(finding.span.path), []).append(finding)
    for file in files:
        findings = found.get(os.path.realpath(file.path))
        if findings:
            yield file, findings
