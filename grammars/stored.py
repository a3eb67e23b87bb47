"""Data that is kept between runs, because making it takes longer than reading it.

In: the name of a file and its bytes. Out: the bytes, or nothing when they are missing or damaged: a
hash stands before them. A folder that cannot be read or written only costs time.
"""

from __future__ import annotations

import contextlib
import os
import re
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HALF = r"(\.[0-9]+\.tmp)?"
_TABLE = re.compile(r"[a-z_]+-[0-9a-f]{20}\.table" + _HALF)
_RESULT = re.compile(r"[0-9a-f]{62}" + _HALF)
_PART = re.compile(r"[0-9a-f]{2}")
_BINARY = getattr(os, "O_BINARY", 0)  # of Windows, which else changes line ends


def cache_folder() -> Path:
    """Where data is kept: `$WARPLINT_CACHE_DIR`, else the user's cache folder."""
    chosen = os.environ.get("WARPLINT_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path(os.path.expanduser("~")) / ".cache") / "warplint"


def load(path: Path, most: int) -> bytes | None:
    """What was stored; None when it is not there, not as it was written, or longer than `most`."""
    try:
        if not path.is_file():  # a pipe would make everybody wait
            return None
        with path.open("rb") as file:
            data = file.read(most + 33)
    except OSError:
        return None
    return data[32:] if sha256(data[32:]).digest() == data[:32] else None


def make_room(entries: Iterable[os.DirEntry[str]], count: int, most: int) -> None:
    """Remove files, the longest unused first, until so many with so many bytes are left."""
    dated = sorted(
        ((status := entry.stat(follow_symlinks=False)).st_mtime_ns, entry.path, status.st_size)
        for entry in entries
    )
    room = most
    for number, (_, path, size) in enumerate(reversed(dated)):
        room -= size
        if number >= count or (room < 0 and number):
            os.unlink(path)


def kept() -> tuple[int, int]:
    """How many files are stored, and their bytes."""
    sizes = []
    for path in _stored(cache_folder()):
        with contextlib.suppress(OSError):
            sizes.append(os.lstat(path).st_size)
    return len(sizes), sum(sizes)


def clean() -> tuple[int, int]:
    """Remove all that was stored, and nothing else: how many files, and their bytes."""
    count = size = 0
    for path in _stored(cache_folder()):
        with contextlib.suppress(OSError):
            bytes_of = os.lstat(path).st_size
            os.unlink(path)
            count, size = count + 1, size + bytes_of
    results = cache_folder() / "results"
    for folder in (*_folders(results), str(results)):
        with contextlib.suppress(OSError):
            os.rmdir(folder)  # if it is empty
    return count, size


def _stored(folder: Path) -> Iterator[str]:
    """The files of this folder that were stored: tables, results, and what was left half written.

    A link is not followed: what is behind it was not stored here.
    """
    yield from _files(folder, _TABLE)
    for inner in _folders(folder / "results"):
        yield from _files(inner, _RESULT)


def _folders(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            real = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    linked = os.path.islink(folder)
    return [] if linked else [each.path for each in real if _PART.fullmatch(each.name)]


def _files(folder: str | Path, names: re.Pattern[str]) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in entries if names.fullmatch(entry.name)]
    except OSError:
        return []


def store(path: Path, payload: bytes, mode: int = 0o600) -> bool:
    """Write beside and rename, so that another process never sees half a file."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
    except OSError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(sha256(payload).digest() + payload)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        return False
    return True
