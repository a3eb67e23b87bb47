"""Runs the commands of records: where their data are, what is missing, what the output says.

`data.toml` says which folders and repositories records read. A record whose data, programs or
repositories are missing is not measured, and the reason says how to get them. Commands that say
`missing: WHAT` and end with 2 say so themselves.
"""

from __future__ import annotations

import datetime
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from checkouts import MissingError, git_directory, require, work_tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from accuracy import Record

HERE = Path(__file__).parent
ROOT = HERE.parent
DATA = tomllib.loads((HERE / "data.toml").read_text(encoding="utf-8"))
MISSING = 2
_UNCOMPILED = "PYTHONDONTWRITEBYTECODE"  # with it each start compiles Python anew


class FailedError(Exception):
    """A command that did not measure anything."""


class Data:
    """The folder with what is not part of this repository, or single folders by their word."""

    def __init__(self, folder: Path | None, places: dict[str, str] | None = None) -> None:
        self.folder = folder.resolve() if folder else None
        self._places = places or {}

    def command(self, name: str, record: Record) -> list[str]:
        """The words of a record's command, its folders put in; raises where one is missing."""
        lacking = [each for each in record.programs if shutil.which(each) is None]
        if lacking:
            raise MissingError(f"{', '.join(lacking)} is not installed")
        words = [self._placed(word) for word in shlex.split(record.command)]
        if "CHECKOUTS" in record.command and "CHECKOUTS" not in self._places:
            self._check_out(name)
        if words[0] in ("python", "pytest"):
            words[:1] = (
                [sys.executable] if words[0] == "python" else [sys.executable, "-m", "pytest"]
            )
        return words

    def _placed(self, word: str) -> str:
        """`WORD/name` with the folder that is meant."""
        first, slash, rest = word.partition("/")
        if first in self._places:
            return self._places[first] + slash + rest
        if first not in DATA["folders"]:
            return word
        part = DATA["folders"][first]
        if self.folder is None:
            raise MissingError(f"--data FOLDER with {part['folder']}: {part['get']}")
        place = self.folder / part["folder"]
        if not place.is_dir() and first != "CHECKOUTS":
            raise MissingError(f"FOLDER/{part['folder']}: {part['get']}")
        return str(place) + slash + rest

    def _check_out(self, name: str) -> None:
        """Make the work trees that a record needs, at their commits."""
        assert self.folder is not None
        for repository, pinned in DATA["repositories"].items():
            if name not in pinned["records"]:
                continue
            directory = git_directory(self.folder / "repositories", repository)
            require(directory, repository, pinned["commit"])
            target = self.folder / "checkouts" / repository.replace("/", "+")
            stamp = target.with_name(f"{target.name}.commit")
            if not stamp.exists() or stamp.read_text(encoding="utf-8") != pinned["commit"]:
                shutil.rmtree(target, ignore_errors=True)
                work_tree(directory, pinned["commit"], target)
                stamp.write_text(pinned["commit"], encoding="utf-8")

    def told(self, reason: str) -> str:
        """A reason that does not say where the folder lies on this machine."""
        return reason.replace(str(self.folder), "FOLDER") if self.folder else reason


class Measurement:
    """What commands print now; the output of one that several records read is kept."""

    def __init__(self, data: Data, commit: str) -> None:
        self._data = data
        self._commit = commit
        self._outputs: dict[str, tuple[str, int]] = {}

    def measured(self, name: str, record: Record) -> Record:
        """The record with what its command prints now."""
        load = os.getloadavg()[0]
        if record.idle and load > (os.cpu_count() or 1) - 0.5:
            raise MissingError(f"an idle machine: the load was {load:.1f}")
        if record.command not in self._outputs:
            words = self._data.command(name, record)
            start = time.monotonic()
            output = _output(words, record)
            self._outputs[record.command] = (output, round(time.monotonic() - start))
        output, seconds = self._outputs[record.command]
        rows = record.rows
        if record.reads:
            rows = [
                [cell.format(*found.groups()) for cell in record.cells]
                for found in re.finditer(record.reads, output, re.MULTILINE)
            ]
        if not rows:
            raise FailedError(f"{record.command}: no line of its output is a row")
        return replace(
            record,
            rows=rows,
            date=datetime.datetime.now(datetime.UTC).date().isoformat(),
            commit=self._commit,
            seconds=seconds,
            load=f"{load:.1f}" if record.timed else "",
        )


def _output(words: list[str], record: Record) -> str:
    environment = {name: value for name, value in os.environ.items() if name != _UNCOMPILED}
    done = subprocess.run(
        words, cwd=ROOT, env=environment, check=False, capture_output=True, text=True
    )
    last = (done.stderr.strip() or done.stdout.strip()).rpartition("\n")[2]
    if done.returncode == MISSING and last.startswith("missing: "):
        raise MissingError(last.removeprefix("missing: "))
    allowed = (0, 1) if record.ends_with_1 else (0,)
    if done.returncode not in allowed or "Traceback" in done.stderr:
        raise FailedError(f"{record.command} ended with {done.returncode}: {last}")
    return done.stdout


def measure_all(
    known: dict[str, Record],
    names: list[str],
    measurement: Measurement,
    store: Callable[[str, Record], None],
) -> tuple[dict[str, str], dict[str, str]]:
    """Measure these records; what is missing, and what failed, by name.

    First what needs an idle machine, then what is quick.
    """
    missing: dict[str, str] = {}
    failed: dict[str, str] = {}
    for name in sorted(names, key=lambda each: (not known[each].idle, known[each].seconds)):
        try:
            known[name] = measurement.measured(name, known[name])
        except MissingError as error:
            missing[name] = str(error)
        except FailedError as error:
            failed[name] = str(error)
        else:
            store(name, known[name])
        print(_line(name, known, missing, failed), flush=True)
    return missing, failed


def _line(
    name: str, known: dict[str, Record], missing: dict[str, str], failed: dict[str, str]
) -> str:
    if name in missing:
        return f"{name}: not measured, missing: {missing[name]}"
    if name in failed:
        return f"{name}: FAILED: {failed[name]}"
    return f"{name}: {known[name].seconds} s"
