"""Files that change whole or not at all.

In: a path and its new bytes. Out: the file, written beside under a name of its own and put into its
place; a file that was there keeps its permissions, its owner and its attributes. No other file is
touched, whatever it is called. Raises `OSError`; then nothing has changed, and nothing is left.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_BINARY = getattr(os, "O_BINARY", 0)  # of Windows, which else changes line ends


def replace_whole(
    path: str,
    data: bytes,
    like: os.stat_result | None = None,
    check: Callable[[], None] | None = None,
) -> None:
    """Put a file with these bytes where `path` is, whole or not at all.

    `like` is the state of the old one; `check` may raise when there is nothing left to do but to
    put it into its place.
    """
    folder = os.path.dirname(path)
    temporary = os.path.join(folder, f".warplint-{os.urandom(8).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
    handle = os.open(temporary, flags, 0o600 if like else 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        if like is not None:
            _make_alike(temporary, path, like)
        if check is not None:
            check()
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _make_alike(new: str, old: str, like: os.stat_result) -> None:
    own = os.stat(new)
    if hasattr(os, "chown") and (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
        try:
            os.chown(new, like.st_uid, like.st_gid)
        except PermissionError:
            raise PermissionError(None, "it belongs to another user or group") from None
    if hasattr(os, "listxattr"):
        with suppress(OSError):  # not every file system has them
            for name in os.listxattr(old):
                os.setxattr(new, name, os.getxattr(old, name))
    os.chmod(new, stat.S_IMODE(like.st_mode))
