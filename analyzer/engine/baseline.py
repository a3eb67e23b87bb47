"""Baselines: the findings that a project lives with, so that only new ones are reported.

In: a baseline file and the findings of a run. Out: the findings that it does not know, how many it
does, and how many of its entries are gone. An entry is the identity of a finding
(`findings/identity.py`) and how often it occurs; lines, columns and paths play no part in the
comparison, so that code may move, within its file and into others. The path is written down for
readers, and to keep what a run did not look at when the file is updated.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..config.errors import UsageError
from ..findings.identity import Identity, identity
from ..source.files import RECORDS, read_regular
from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..findings.finding import Finding
    from .result import RunResult

VERSION = 1

_FIELDS = ("rule", "kernel", "code", "path", "count")


@dataclass(frozen=True, slots=True)
class Entry:
    """One known defect; the path is relative to the folder of the file."""

    identity: Identity
    path: str
    count: int


@dataclass(frozen=True, slots=True)
class Baseline:
    """The entries of a file; `path` is where it stands."""

    path: str
    entries: tuple[Entry, ...] = ()

    def only_new(self, result: RunResult) -> RunResult:
        """The run without the findings that are known."""
        left: Counter[Identity] = Counter()
        for entry in self.entries:
            left[entry.identity] += entry.count
        kept: list[Finding] = []
        for finding in result.findings:
            key = identity(finding)
            if left[key] > 0:
                left[key] -= 1
            else:
                kept.append(finding)
        return replace(
            result,
            findings=tuple(kept),
            known=len(result.findings) - len(kept),
            stale=sum(min(left[e.identity], e.count) for e in self._looked_at(result)),
        )

    def updated(self, result: RunResult) -> Baseline:
        """The same file for the findings of a run.

        Entries of files that it did not read, and of rules that it did not apply, are kept.
        """
        seen = {id(entry) for entry in self._looked_at(result)}
        others = [entry for entry in self.entries if id(entry) not in seen]
        counts = Counter(
            (identity(item), self._relative(item.span.path)) for item in result.findings
        )
        fresh = [Entry(key, path, count) for (key, path), count in counts.items()]
        entries = sorted([*others, *fresh], key=lambda entry: (entry.path, entry.identity))
        return replace(self, entries=tuple(entries))

    def with_more(self, findings: Iterable[Finding]) -> Baseline:
        """The same file with these findings as well."""
        counts = Counter({(each.identity, each.path): each.count for each in self.entries})
        counts.update((identity(item), self._relative(item.span.path)) for item in findings)
        entries = [Entry(key, path, count) for (key, path), count in counts.items()]
        entries.sort(key=lambda entry: (entry.path, entry.identity))
        return replace(self, entries=tuple(entries))

    def text(self, version: str) -> str:
        """The file: JSON with an entry on each line, so that versions of it compare well."""
        rows = [
            json.dumps(dict(zip(_FIELDS, (*entry.identity, entry.path, entry.count), strict=True)))
            for entry in self.entries
        ]
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
        folder = os.path.dirname(os.path.abspath(self.path))
        return [
            entry
            for entry in self.entries
            if entry.identity.rule not in idle
            and (
                (real := os.path.realpath(os.path.join(folder, entry.path))) in read
                or not os.path.exists(real)
            )
        ]

    def _relative(self, path: str) -> str:
        folder = os.path.dirname(os.path.abspath(self.path))
        return os.path.relpath(path, folder).replace(os.sep, "/")


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
        if kinds != [str, str, str, str, int] or values[-1] < 1:
            raise _broken(path, f"{json.dumps(row)[:60]} is not an entry")
        yield Entry(Identity(*values[:3]), values[3], values[4])


def _broken(path: str, what: str) -> UsageError:
    return UsageError(f"baseline {path}: {what}", "regenerate it: `warplint baseline FILE...`")
