"""Baselines: the findings that a project lives with, so that only new ones are reported.

In: a baseline file and the findings of a run. Out: the findings that it does not know, how many it
does, and how many of its entries are gone. An entry is the identity of a finding
(`findings/identity.py`) and how often it occurs; lines, columns and paths play no part in the
comparison, so that code may move, within its file and into others. What is not found as it was may
have other names now (`findings/renames.py`), in its file or in another if that is gone. The path is
written down for readers, and to keep what a run did not look at when the file is updated; so are
the day on which an entry was added, and why.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from ..config.errors import UsageError
from ..findings.identity import Identity, identity
from ..findings.renames import renamed
from ..source.files import RECORDS, read_regular
from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..findings.finding import Finding
    from .result import RunResult

VERSION = 1

_FIELDS = ("rule", "kernel", "code", "path", "count")
_NOTES = ("since", "reason")  # which an entry may have


@dataclass(frozen=True, slots=True)
class Entry:
    """One known finding in a baseline; the path is relative to the folder of the file."""

    identity: Identity
    path: str
    count: int
    since: str = ""  # a day, as ISO 8601 has it
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The known findings of a baseline file; `path` is where it stands."""

    path: str
    entries: tuple[Entry, ...] = ()

    def only_new(self, result: RunResult) -> RunResult:
        """The run without the findings that are known."""
        known, left = self._known(result)
        return replace(
            result,
            findings=tuple(each for each, entry in known if entry is None),
            known=sum(entry is not None for _, entry in known),
            stale=sum(left[id(entry)] for entry in self._looked_at(result)),
        )

    def updated(self, result: RunResult, reason: str = "") -> Baseline:
        """The same file for the findings of a run; new ones are of today, for this reason.

        Entries of files that it did not read, and of rules that it did not apply, are kept.
        """
        seen = {id(entry) for entry in self._looked_at(result)}
        known, _ = self._known(result)
        others = [entry for entry in self.entries if id(entry) not in seen]
        return self._with(others, known, reason)

    def anew(self, result: RunResult, reason: str = "") -> Baseline:
        """The file with the findings of a run alone; those that it knew keep their notes."""
        return self._with((), self._known(result)[0], reason)

    def with_more(self, findings: Iterable[Finding], reason: str = "") -> Baseline:
        """The same file with these findings as well."""
        return self._with(self.entries, [(each, None) for each in findings], reason)

    def _with(
        self, entries: Iterable[Entry], found: Iterable[tuple[Finding, Entry | None]], reason: str
    ) -> Baseline:
        """The file with these entries, and those of findings, each with the one that knew it."""
        made = {(each.identity, each.path): each for each in entries}
        today = time.strftime("%Y-%m-%d", time.gmtime())
        for finding, entry in found:
            key = identity(finding), self._relative(finding.span.path)
            since, why = (today, reason) if entry is None else (entry.since, entry.reason)
            had = made.get(key) or Entry(*key, 0, since, why)
            made[key] = replace(had, count=had.count + 1)
        return replace(
            self, entries=tuple(made[key] for key in sorted(made, key=lambda k: k[::-1]))
        )

    def _known(
        self, result: RunResult
    ) -> tuple[list[tuple[Finding, Entry | None]], dict[int, int]]:
        """Each finding with the entry that knows it, and how often each entry found nothing."""
        left = {id(entry): entry.count for entry in self.entries}
        alike: dict[Identity, list[Entry]] = {}
        for entry in self.entries:
            alike.setdefault(entry.identity, []).append(entry)
        known: list[tuple[Finding, Entry | None]] = []
        for finding in result.findings:
            same = (each for each in alike.get(identity(finding), ()) if left[id(each)])
            known.append((finding, _taken(next(same, None), left)))
        gone: dict[str, list[Entry]] = {}  # by rule
        for entry in self._looked_at(result):
            if left[id(entry)]:
                gone.setdefault(entry.identity.rule, []).append(entry)
        is_there = cache(lambda path: os.path.exists(self._absolute(path)))
        for number, (finding, found) in enumerate(known):
            if found is None:
                path = self._relative(finding.span.path)
                near = (
                    entry
                    for entry in gone.get(identity(finding).rule, ())
                    if left[id(entry)] and (entry.path == path or not is_there(entry.path))
                )
                known[number] = (finding, _taken(_other_name(finding, near), left))
        return known, left

    def text(self, version: str) -> str:
        """The file: JSON with an entry on each line, so that versions of it compare well."""
        rows = [json.dumps(_row(entry), ensure_ascii=False) for entry in self.entries]
        lines = ",\n".join(f"    {row}" for row in rows)
        body = f"[\n{lines}\n  ]" if rows else "[]"
        tool = json.dumps(f"warplint {version}")
        return f'{{\n  "version": {VERSION},\n  "tool": {tool},\n  "findings": {body}\n}}\n'

    def _looked_at(self, result: RunResult) -> Sequence[Entry]:
        """The entries that the run had a say in: of files that it read or that are no longer there,
        and of rules that it applied or that no longer exist."""
        from ...rules.plugins import available_rules

        idle = available_rules().keys() - {rule.code for rule in result.rules}
        read = {os.path.realpath(item.path) for item in result.inputs if item.status != "none"}
        return [
            entry
            for entry in self.entries
            if entry.identity.rule not in idle
            and (
                (real := os.path.realpath(self._absolute(entry.path))) in read
                or not os.path.exists(real)
            )
        ]

    def _relative(self, path: str) -> str:
        return os.path.relpath(path, self._folder).replace(os.sep, "/")

    def _absolute(self, path: str) -> str:
        return os.path.join(self._folder, path)

    @property
    def _folder(self) -> str:
        return os.path.dirname(os.path.abspath(self.path))


def _other_name(finding: Finding, gone: Iterable[Entry]) -> Entry | None:
    """The entry that is not found any more as a finding is this one under another name."""
    key, text = identity(finding), finding.span.source.text
    return next((entry for entry in gone if renamed(entry.identity, key, text)), None)


def _taken(entry: Entry | None, left: dict[int, int]) -> Entry | None:
    """The entry, which has found a finding."""
    if entry is not None:
        left[id(entry)] -= 1
    return entry


def _row(entry: Entry) -> dict[str, str | int]:
    """An entry as it is written; what nobody noted is left out."""
    values: tuple[str | int, ...] = (
        *entry.identity,
        entry.path,
        entry.count,
        entry.since,
        entry.reason,
    )
    row = dict(zip((*_FIELDS, *_NOTES), values, strict=True))
    return {name: value for name, value in row.items() if value or name in _FIELDS}


def read_baseline(path: str) -> Baseline:
    """The baseline in a file."""
    try:
        document = json.loads(read_regular(path, RECORDS))
    except FileNotFoundError:
        raise UsageError(
            f"baseline {path}: no such file", "`warplint baseline FILE...` writes one"
        ) from None
    except OSError as error:
        raise UsageError(f"baseline {path}: {error.strerror or error}", "check the path") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"baseline {path}: not JSON: {error}", "regenerate it") from None
    version = document.get("version") if isinstance(document, dict) else None
    if version != VERSION:
        raise UsageError(
            f"baseline {path}: version {version!r}, not {VERSION}",
            "regenerate it with this version of warplint: `warplint baseline FILE...`",
        )
    return Baseline(path, tuple(_entries(document.get("findings"), path)))


def _entries(rows: Any, path: str) -> Iterable[Entry]:
    if not isinstance(rows, list):
        raise _broken(path, "`findings` is not a list")
    for row in rows:
        values: list[Any] = [row.get(n) for n in _FIELDS] if isinstance(row, dict) else []
        kinds = [type(value) for value in values]
        notes = [row.get(name, "") for name in _NOTES] if values else []
        if (
            kinds != [str, str, str, str, int]
            or values[-1] < 1
            or not all(type(note) is str for note in notes)
        ):
            raise _broken(path, f"{json.dumps(row)[:60]} is not an entry")
        yield Entry(Identity(*values[:3]), *values[3:], *notes)


def _broken(path: str, what: str) -> UsageError:
    return UsageError(f"baseline {path}: {what}", "regenerate it: `warplint baseline FILE...`")
