"""What tells this state of warplint, and of what it is built on, from every other one.

Out: a text that changes with every file of the package and with the parsers it stands on, so that
what is kept between runs is never read by another version. What an installer has unpacked and
nobody has touched since goes by the hashes in the installer's RECORD (PEP 376): two machines with
the same wheel have the same text, and can share what they keep. Other files go by their dates;
those in an archive have none: `OSError`.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from glob import escape, glob
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PARTS = ("analyzer", "grammars", "rules")  # of the package: all of it that has a say


@cache
def installation() -> str:
    """This state of warplint."""
    files = list(_own_files())
    state: object = _unpacked(max(status.st_mtime_ns for _, status in files))
    if state is None:
        state = [f"{path}:{status.st_size}:{status.st_mtime_ns}" for path, status in files]
    return f"{sys.version} {sha256(repr([state, *_parsers()]).encode()).hexdigest()}"


def _unpacked(latest: int) -> str | None:
    """The hashes of the package's files as they were unpacked; None if one has a later date."""
    inside = f"{os.path.basename(_PACKAGE)}/"
    for record in glob(f"{escape(_PACKAGE)}-*.dist-info/RECORD"):
        if os.stat(record).st_mtime_ns < latest:
            return None
        with open(record, encoding="utf-8") as file:
            rows = [row for row in file if row.startswith(inside) and "__pycache__" not in row]
        # One that is installed as a folder of its author's has no files here.
        return "".join(rows) if any(row.startswith(f"{inside}analyzer/") for row in rows) else None
    return None


def _parsers() -> Iterator[bytes]:
    """The first file of each parser, which says its version."""
    from importlib.util import find_spec

    for name in ("lark", "pycparser"):
        found = find_spec(name)
        if found is not None and found.origin is not None:
            with open(found.origin, "rb") as file:
                yield file.read()


def _own_files() -> Iterator[tuple[str, os.stat_result]]:
    waiting = [os.path.join(_PACKAGE, part) for part in _PARTS]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_dir():
                    waiting += [entry.path] if entry.name != "__pycache__" else []
                else:
                    yield entry.path, entry.stat()
