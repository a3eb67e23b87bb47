"""What the file system was asked while a source was read: what a stored result rests on.

In: questions of the readers (is there such a file, what does it hold). Out: the answers, and, for
who listens, a record of each. A result is as good as new while every question of its record gets
the same answer: headers that were not there count as much as those that were. The readers of this
room ask here and nowhere else; files of the package itself are not recorded.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .stand_ins import is_unsaved, read_source_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: The question, the path, and the answer: "yes", "no", a path, or the hash of what the file holds.
Probe = tuple[str, str, str]

_UNREAD = "unread"  # never holds again: why it failed is not known
_GONE = "gone"

_TESTS = {"file": os.path.isfile, "folder": os.path.isdir, "there": os.path.exists}
_HOLDING = "holding "
_MANY = 200  # folders in one
_listeners: list[set[Probe]] = []


@contextmanager
def recorded() -> Iterator[set[Probe]]:
    """The probes of the file system that are made inside of the `with`."""
    probes: set[Probe] = set()
    _listeners.append(probes)
    try:
        yield probes
    finally:
        _listeners.pop()


def note(probe: Probe) -> None:
    """Record a probe of the file system whose answer was still known."""
    for probes in _listeners:
        probes.add(probe)


def is_file(path: str) -> bool:
    """Whether there is a file of this name, recorded as a probe; an impossible name is none."""
    return _asked("file", path)


def exists(path: str) -> bool:
    """Whether there is anything of this name on the disk, recorded as a probe."""
    return _asked("there", path)


def is_folder(path: str) -> bool:
    """Whether there is a folder of this name, recorded as a probe."""
    return _asked("folder", path)


def real_path(path: str) -> str:
    """The path without links, as far as it exists, recorded as a probe."""
    answer = _answer("real", path)
    note(("real", path, answer))
    return answer


def folders_holding(path: str, name: str) -> tuple[str, ...]:
    """The folders in a folder that hold a folder `name`, recorded as one probe; hidden ones are
    left out, and nothing is said of a folder that holds very many.
    """
    answer = _answer(_HOLDING + name, path)
    note((_HOLDING + name, path, answer))
    return tuple(answer.split(os.sep)) if answer else ()


def without_detours(path: str) -> str:
    """`a/b.h` for `a/c/../b.h`, where that is the same file; the path itself where links differ."""
    return os.path.normpath(path) if _asked("detour", path) else path


def note_read(path: str, data: bytes | None) -> None:
    """Record as a probe what a source held; `data` is None when it could not be read."""
    if _listeners:
        note(read_probe(path, data))


def read_probe(path: str, data: bytes | None) -> Probe:
    """The probe of the file system that a read of a source was: its path and a hash."""
    return ("read", path, _UNREAD if data is None else hashlib.sha256(data).hexdigest())


def hold(probes: Iterable[Probe], limit: int) -> bool:
    """Whether every recorded probe of the file system has the same answer again; files are read up
    to `limit` bytes.
    """
    return all(_again(question, path, limit) == answer for question, path, answer in probes)


def _asked(question: str, path: str) -> bool:
    answer = _answer(question, path)
    note((question, path, answer))
    return answer == "yes"


def _answer(question: str, path: str) -> str:
    try:
        if question == "real":
            return os.path.realpath(path)
        if question.startswith(_HOLDING):
            return os.sep.join(_holding(path, question.removeprefix(_HOLDING)))
        if question == "detour":
            found = os.path.realpath(os.path.normpath(path)) == os.path.realpath(path)
        else:
            found = _TESTS[question](path) or (question != "folder" and is_unsaved(path))
    except (OSError, ValueError):
        if question.startswith(_HOLDING):
            return ""
        found = False
    return "yes" if found else "no"


def _holding(path: str, name: str) -> list[str]:
    with os.scandir(path) as entries:
        inner = [each.name for each in entries if each.name[:1] != "." and each.is_dir()]
    there = inner if len(inner) <= _MANY else []
    return sorted(each for each in there if os.path.isdir(os.path.join(path, each, name)))


def _again(question: str, path: str, limit: int) -> str:
    if question != "read":
        return _answer(question, path)
    try:
        return read_probe(path, read_source_file(path, limit))[2]
    except OSError:
        return _GONE
