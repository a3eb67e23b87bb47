"""What tells this state of warplint, and of what it is built on, from every other one.

Out: a text that changes with every file of the package and with the parsers it stands on, so that
what is kept between runs is never read by another version. Files in an archive cannot be dated:
`OSError`.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PARTS = ("analyzer", "grammars", "rules")  # of the package: all of it that has a say


@cache
def installation() -> str:
    """This state of warplint."""
    files = [f"{path}:{status.st_size}:{status.st_mtime_ns}" for path, status in _own_files()]
    return f"{sys.version} {sha256(repr(files).encode()).hexdigest()}"


def _own_files() -> Iterator[tuple[str, os.stat_result]]:
    from importlib.util import find_spec

    for name in ("lark", "pycparser"):
        found = find_spec(name)
        if found is not None and found.origin is not None:
            yield found.origin, os.stat(found.origin)
    waiting = [os.path.join(_PACKAGE, part) for part in _PARTS]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_dir():
                    waiting += [entry.path] if entry.name != "__pycache__" else []
                else:
                    yield entry.path, entry.stat()
