"""Data that is kept between runs, because making it takes longer than reading it.

In: the name of a file and its bytes. Out: the bytes, or nothing when they are missing or damaged: a
hash stands before them. A folder that cannot be read or written only costs time.
"""

from __future__ import annotations

import contextlib
import os
import stat
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_BINARY = getattr(os, "O_BINARY", 0)  # of Windows, which else changes line ends


def cache_folder() -> Path:
    """Where data is kept: `$WARPLINT_CACHE_DIR`, else the user's cache folder."""
    chosen = os.environ.get("WARPLINT_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path(os.path.expanduser("~")) / ".cache") / "warplint"


def cache_folders() -> Iterator[Path]:
    """The cache folder, then a private folder among the temporary files."""
    yield cache_folder()
    if hasattr(os, "getuid") and "WARPLINT_CACHE_DIR" not in os.environ:
        from tempfile import gettempdir

        private = Path(gettempdir()) / f"warplint-{os.getuid()}"
        with contextlib.suppress(OSError):
            private.mkdir(mode=0o700, exist_ok=True)
            status = private.lstat()
            if status.st_uid == os.getuid() and stat.S_IMODE(status.st_mode) == 0o700:
                yield private


def load(path: Path) -> bytes | None:
    """What was stored; None when it is not there or not as it was written."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return data[32:] if sha256(data[32:]).digest() == data[:32] else None


def store(path: Path, payload: bytes) -> bool:
    """Write beside and rename, so that another process never sees half a file."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
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
