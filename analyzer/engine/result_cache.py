"""Results of files that did not change, kept between runs.

In: one file with what applies to it (`Work`), and how to check it, or to read what it says to other
files or rests on.
Out: the same `FileCheck` that doing so would give. An entry is found by what is known beforehand
(the path as it was named, the current folder, the settings, the rules, the launches in other files
with the text around them, this version of warplint down to the dates of its files) and counts only
while every question that reading asked of the file system gets the same answer
(`source/file_probes.py`): the file, the headers it includes, and the headers that were looked for
in vain are as they were. Not kept: what came through a pipe, results that build logs have a say in
or that end in an error of our own, and files that could not be read. Entries are data that can do
nothing (`stored_results.py`); one that cannot be read, or does not speak of the file, is as good as
none. All of them together take no more than 256 times `_MOST_OF_A_FOLDER`. What is not there may be
where machines share it (`remote_results.py`), under a name that holds what the file holds, too.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol

from ...grammars.installation import installation
from ...grammars.stored import cache_folder, load, make_room, store
from ...rules.plugins import PluginCheck
from ..source.file_probes import hold, recorded
from ..source.reader import LARGEST
from ..source.records import dataclass
from ..source.stand_ins import read_source_file
from .stored_results import read, written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ..findings.rule import Rule
    from .check import Work
    from .file_check import FileCheck
    from .inputs import InputFile
    from .remote_results import RemoteResults

_PER_FOLDER = 32  # entries in each of 256 folders
_MOST_OF_A_FOLDER = 1_000_000  # bytes
_LARGEST_ENTRY = 500_000  # bytes, compressed
_MOST_READS = 4_000  # files that a shared result may rest on


class Results(Protocol):
    """Where a run keeps results of files, on the disk or in memory."""

    def check(self, work: Work, check: Callable[[Work], FileCheck]) -> FileCheck:
        """The kept result of a file, else what `check` says of it, which is kept."""

    def exports(self, work: Work, read: Callable[[Work], FileCheck]) -> FileCheck:
        """What a file says to others, kept or found by `read`."""

    def reads(self, work: Work, read: Callable[[Work], FileCheck]) -> FileCheck:
        """Which files are read for a file, kept or found by `read`."""


@dataclass(frozen=True, slots=True)
class ResultCache:
    """The stored results of one version of warplint, in a folder."""

    folder: Path
    version: str
    remote: RemoteResults | None = None

    def check(self, work: Work, check: Callable[[Work], FileCheck]) -> FileCheck:
        """The stored result of a file, else what `check` says of it, which is stored."""
        return self._stored("check", work, check)

    def exports(self, work: Work, read: Callable[[Work], FileCheck]) -> FileCheck:
        """What a file says to others, stored or found by `read`."""
        return self._stored("exports", work, read)

    def reads(self, work: Work, read: Callable[[Work], FileCheck]) -> FileCheck:
        """Which files are read for a file, stored or found by `read`."""
        return self._stored("reads", work, read)

    def _stored(self, what: str, work: Work, check: Callable[[Work], FileCheck]) -> FileCheck:
        settings = work.profile.settings
        brought = any(isinstance(rule.check, PluginCheck) for rule in work.profile.rules)
        if work.file.data is not None or settings.debug or settings.evidence is not None or brought:
            return check(work)  # what rules of a user's own rest on is not known
        key = key_of(work, self.version, what)
        place = self.folder / _name(key)
        rules = {rule.code: rule for rule in work.profile.rules}
        found = _found(place, work.file, rules)
        if found is not None:
            return found
        shared = self._shared(key, work.file)
        found = self._fetched(shared, work.file, rules)
        if found is not None:
            return found
        with recorded() as probes:
            outcome = check(work)
        whole = outcome.source is not None and os.path.isfile(work.file.path)
        if whole and not any(problem.trace for problem in outcome.problems):
            self._keep(place, shared, written(outcome, probes))
        return outcome

    def _shared(self, key: str, file: InputFile) -> str | None:
        """The name under which machines share a result; None if nothing is shared."""
        if self.remote is None:
            return None
        try:
            held = sha256(read_source_file(file.path, LARGEST)).hexdigest()
        except OSError:
            return None
        return _name(sha256(f"{key} {held}".encode()).hexdigest())

    def _fetched(
        self, shared: str | None, file: InputFile, rules: Mapping[str, Rule]
    ) -> FileCheck | None:
        """The result that another machine has shared, if it holds here.

        It is kept here then, under its shared name: a run that asks nobody does not find it.
        """
        if self.remote is None or shared is None:
            return None
        found = _found(self.folder / shared, file, rules)
        if found is not None:
            return found
        data = self.remote.get(shared, _LARGEST_ENTRY)
        outcome = None if data is None else _held(data, file, rules, _MOST_READS)
        if data is not None and outcome is not None:
            self._keep(self.folder / shared, None, data)
        return outcome

    def _keep(self, place: Path, shared: str | None, data: bytes | None) -> None:
        """Store a result, and share it; what nobody asked for longest makes room."""
        if data is None or len(data) > _LARGEST_ENTRY:
            return
        if self.remote is not None and shared is not None:
            self.remote.put(shared, data)
        if store(place, data):
            with contextlib.suppress(OSError):
                make_room(os.scandir(place.parent), _PER_FOLDER, _MOST_OF_A_FOLDER)


def _name(key: str) -> str:
    return f"{key[:2]}/{key[2:]}"


def key_of(work: Work, *more: str) -> str:
    """The key of a file's stored result: what is known before it is read, and `more`, as a hash."""
    profile, file = work.profile, work.file
    known = {
        field.name: _plain(getattr(profile.settings, field.name))
        for field in fields(profile.settings)
        if field.name not in ("of_file", "compile_commands")
    }
    commands = profile.settings.compile_commands
    around = {each.launch.span.source.text for each in work.elsewhere}
    parts = (
        *more,
        work.elsewhere,
        sorted(sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in around),
        os.getcwd(),
        file.path,
        file.language,
        sorted(known.items()),
        repr(None if commands is None else commands.flags_for(file.path)),
        [rule.code for rule in profile.rules],
        _plain(profile.severities),
    )
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def result_cache(remote: RemoteResults | None = None) -> ResultCache | None:
    """The cache of this installation; None for one whose files cannot be dated, in an archive."""
    try:
        return ResultCache(cache_folder() / "results", installation(), remote)
    except OSError:
        return None


def _plain(value: Any) -> str:
    """A setting as text that does not depend on the order in which it was written down."""
    if isinstance(value, dict):
        return repr(sorted(value.items()))
    return repr(sorted(value) if isinstance(value, frozenset) else value)


def _found(place: Path, file: InputFile, rules: Mapping[str, Rule]) -> FileCheck | None:
    """The entry at a place, if it still holds."""
    data = load(place, _LARGEST_ENTRY)
    outcome = None if data is None else _held(data, file, rules)
    if outcome is not None:
        with contextlib.suppress(OSError):
            os.utime(place)  # what is of use is not dropped
    return outcome


def _held(
    data: bytes, file: InputFile, rules: Mapping[str, Rule], most_reads: int | None = None
) -> FileCheck | None:
    """The result that these bytes are, if it is of this file and every probe finds the same again.

    `most_reads`: for how many files at most. A machine that is not trusted could name one file by
    a hundred thousand paths.
    """
    entry = read(data, rules)
    if entry is None:
        return None
    outcome, probes = entry
    reads = [path for question, path, _ in probes if question == "read"]
    if outcome.file != file or file.path not in reads:
        return None
    if most_reads is not None and len(reads) > most_reads:
        return None
    return outcome if hold(probes, LARGEST) else None
