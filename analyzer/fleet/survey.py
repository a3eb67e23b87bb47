"""One repository, fetched and checked: what a worker does.

In: a `Subject`, and how to check it. Out: a `Survey` of plain rows, for every subject: one that
cannot be fetched, or whose check ends without a report, has a row that says why. The check is a
process of its own, `warplint check` as a user would run it in that folder, with one job and no
stored results: what a repository does to it, taking all memory say, ends that process and nothing
else. It ends by itself when its worker is gone.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..source.files import SOURCE, read_regular
from ..source.programs import python_command
from ..source.records import dataclass
from .fetching import FetchError, fetch

if TYPE_CHECKING:
    from .subjects import Subject

Row = dict[str, Any]

#: Runs the program with what it is given, in at most so many bytes, as long as its worker lives.
_CODE = """
import runpy
memory, worker = {memory}, {worker}
if memory:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
from warplint.analyzer.engine.processes.workers import look_after
look_after(worker)
runpy.run_module("warplint", run_name="__main__", alter_sys=True)
"""
_REPORTED = (0, 1, 2, 3)  # exit codes that come with a report, 2 where there was nothing to check
_PREFIX = "warplint-fleet-"  # of the folders that repositories are fetched into
_SAID = 300  # characters of what a check said last


@dataclass(frozen=True, slots=True)
class How:
    """How each repository of a fleet is checked."""

    options: tuple[str, ...] = ("--isolated",)  # of `check`
    memory: int = 0  # bytes that one check may take; 0 for all there are


@dataclass(frozen=True, slots=True)
class Survey:
    """What came of one repository: rows for each of the tables, and what they cost."""

    repository: Row
    files: list[Row] = field(default_factory=list)
    findings: list[Row] = field(default_factory=list)
    cost: Row = field(default_factory=dict)

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to try again."""
        return bool(self.repository["status"] == "checked")


def survey(subject: Subject, how: How) -> Survey:
    """Fetch and check one repository; never raises for what it finds there."""
    start = perf_counter()
    _clear_away()
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-") as own:
        commit, folder = "", subject.place
        if subject.revision or not subject.is_folder:
            folder = own
            try:
                commit = fetch(subject, own)
            except FetchError as error:
                return failed(subject, str(error))
        fetched = perf_counter()
        found = _checked(subject, commit, folder, how)
    seconds = {"fetch": round(fetched - start, 3), "check": round(perf_counter() - fetched, 3)}
    return replace(found, cost={"name": subject.name, **seconds})


def _clear_away() -> None:
    """Remove the folders of workers that were killed."""
    for name in os.listdir(tempfile.gettempdir()):
        process = name.removeprefix(_PREFIX).partition("-")[0]
        if not name.startswith(_PREFIX) or not process.isdecimal():
            continue
        try:
            os.kill(int(process), 0)
        except ProcessLookupError:
            shutil.rmtree(os.path.join(tempfile.gettempdir(), name), ignore_errors=True)
        except (OSError, OverflowError):
            continue  # it lives, as somebody else's


def failed(subject: Subject, why: str, commit: str = "") -> Survey:
    """The row of a repository that was not checked."""
    return Survey(_repository(subject, commit, "failed", why))


def _checked(subject: Subject, commit: str, folder: str, how: How) -> Survey:
    command = python_command(_CODE.format(memory=how.memory, worker=os.getpid()))
    asked = ("check", *how.options, "--no-cache", "--jobs", "1", "--format", "json", ".")
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    done = subprocess.run(
        [*command, *asked],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        # A relative folder to import from would be one of the repository.
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in paths if os.path.isabs(p))},
        check=False,
    )
    try:
        report = json.loads(done.stdout) if done.returncode in _REPORTED else None
    except ValueError:
        report = None
    if report is None:
        said = " ".join(os.fsdecode(done.stderr).split())[-_SAID:]
        how_ended = f"the check ended with {done.returncode}"
        return failed(subject, f"{how_ended}: {said}" if said else how_ended, commit)
    about: Row = {"repository": subject.name, "commit": commit}
    files = [about | _file_row(item, folder) for item in report["inputs"]]
    findings = [
        about | {"number": number} | _finding_row(item)
        for number, item in enumerate(report["findings"], 1)
    ]
    row = _repository(subject, commit, "checked", "")
    row |= {key: sum(item[key] for item in files) for key in ("lines", "bytes")}
    row |= {"files": len(files), "kernels": report["summary"]["coverage"]["kernels"]}
    row |= {"version": report["summary"]["version"], "arch": report["summary"]["arch"]}
    return Survey(row, files, findings)


def _repository(subject: Subject, commit: str, status: str, why: str = "") -> Row:
    return {
        "repository": subject.name, "place": subject.place, "revision": subject.revision,
        "commit": commit, "status": status, "why": why, "files": 0, "kernels": 0, "lines": 0,
        "bytes": 0, "version": "", "arch": "",
    }  # fmt: skip


def _file_row(item: Row, folder: str) -> Row:
    data = b""
    with suppress(OSError):  # where it cannot be read, its problem says so
        data = read_regular(os.path.join(folder, item["path"]), SOURCE)
    return {
        "path": os.path.normpath(item["path"]), "status": item["status"],
        "kernels": item["kernels"], "accesses": item["accesses"],
        "unanalysed": item["unanalysed"], "lines": data.count(b"\n"), "bytes": len(data),
        "problems": "; ".join(each["message"] for each in item["problems"]),
    }  # fmt: skip


def _finding_row(item: Row) -> Row:
    gain = item["gain"] or {}
    return {
        "rule": item["rule"], "severity": item["severity"], "certainty": item["certainty"],
        "path": os.path.normpath(item["path"]), "line": item["line"], "column": item["column"],
        "kernel": item["kernel"], "array": item["array"], "gain": gain.get("time"),
        "share": gain.get("share"), "resource": gain.get("resource"),
        "confidence": gain.get("confidence"), "fixable": bool(item["fixes"]),
        "message": item["message"],
    }  # fmt: skip
