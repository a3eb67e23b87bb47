"""The sources around a file that include it.

In: the path of a file. Out: the sources (files that are compiled, no headers) that include it, or
that include a header which does. Looked at are the files beside it, in the folders above it up to
the root of the repository (`.git`; without one, in the folder above it), and in the folders that
stand in these. A name that leads nowhere from where it is written may be found with -I: then it
counts when the file's path ends in it. Conditions around an `#include` are not looked at, nor are
names that macros make. Never raises.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from ..source.files import read_start
from .inputs import NAMED, is_header

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .inputs import InputFile

_LEVELS = 8  # folders above the file
_FILES = 1000  # looked into
_FOLDERS = 200  # searched for them
_LARGEST = 1 << 20  # bytes of a file that are searched
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)


def including_sources(path: str) -> frozenset[str]:
    """The real paths of the sources that include a file."""
    wanted = os.path.realpath(path)
    includes = {each: set(_included(each)) for each in islice(_nearby(wanted), _FILES)}
    reached = {wanted}
    words = {os.path.basename(path), os.path.basename(wanted)}
    while True:
        more = {
            each
            for each, names in includes.items()
            if each not in reached
            and any(_last(name) in words and _leads(name, each, reached) for name in names)
        }
        if not more:
            return frozenset(each for each in reached - {wanted} if not is_header(each))
        reached |= more
        words |= set(map(_last, more))


def names_included(files: Iterable[InputFile]) -> Counter[str]:
    """How many of the files include a header, by the last part of its name: also through each
    other, but not through headers that are none of them.
    """
    own = {file.path: set(map(_last, _included(file.path))) for file in files}
    of_name: dict[str, set[str]] = {}
    for path, names in own.items():
        of_name.setdefault(_last(path), set()).update(names)
    found: Counter[str] = Counter()
    for names in own.values():
        reached: set[str] = set()
        pending = names
        while pending:
            reached |= pending
            pending = set().union(*(of_name.get(name, ()) for name in pending)) - reached
        found.update(reached)
    return found


def _last(path: str) -> str:
    return path.rpartition("/")[2].rpartition(os.sep)[2]


def _leads(name: str, includer: str, files: set[str]) -> bool:
    beside = os.path.realpath(os.path.join(os.path.dirname(includer), name))
    if beside in files:
        return True
    ending = os.sep + name.lstrip("./")
    return any(each.endswith(ending) for each in files) and not os.path.exists(beside)


def _nearby(path: str) -> Iterator[str]:
    """The files around one that may include it, the nearest first."""
    for folder in islice(dict.fromkeys(_folders(path)), _FOLDERS):
        for entry in _entries(folder):
            if _suffix(entry.path) in NAMED and os.path.isfile(entry.path):  # a link may be a loop
                yield os.path.realpath(entry.path)


def _folders(path: str) -> Iterator[str]:
    own = os.path.dirname(path)
    above = [own]
    while len(above) <= _LEVELS and not os.path.exists(os.path.join(above[-1], ".git")):
        above.append(os.path.dirname(above[-1]))
    if len(above) > _LEVELS:
        del above[2:]
    yield from above
    for folder in above:
        yield from (each.path for each in _entries(folder) if each.is_dir(follow_symlinks=False))


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        found = list(os.scandir(folder))
    except (OSError, ValueError):
        return []
    return sorted((each for each in found if each.name[0] != "."), key=lambda each: each.name)


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()


def _included(path: str) -> tuple[str, ...]:
    """The names in the `#include` lines of a file."""
    try:
        return _names(path, os.stat(path).st_mtime_ns)
    except OSError:
        return ()


@lru_cache(maxsize=10_000)
def _names(path: str, _changed: int) -> tuple[str, ...]:
    found = _INCLUDE.findall(read_start(path, _LARGEST))
    return tuple(name.decode("utf-8", "surrogateescape") for name in found if b"\0" not in name)
