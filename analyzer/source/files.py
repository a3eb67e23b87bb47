"""The one place that opens files which a run is pointed at: inputs, configuration, lists, logs.

In: a path and the most bytes that such a file may have. Out: its bytes, or an `OSError` whose
`strerror` can be shown. Only regular files are read: a pipe, a terminal or `/dev/zero`, reached by
a link that a repository carries, would make a run wait or fill its memory. The file is opened
before it is looked at, so that nobody can exchange it in between, and opening never waits.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Bytes that a file of each kind may have.
SOURCE = 200_000_000  # a generated PTX file of 100 MB exists, nothing larger was met
SETTINGS = 1_000_000  # configuration, and an ignore file
RECORDS = 200_000_000  # a compilation database, a baseline, a build log, a list of files

_AT_ONCE = 1 << 20  # reading more allocates as much, however small the file is
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


def read_regular(path: str | os.PathLike[str], limit: int) -> bytes:
    """All bytes of a regular file: an input, a configuration, a list or a log."""
    with _opened(path) as file:
        if os.fstat(file.fileno()).st_size <= limit:
            data = b"".join(_pieces(file, limit + 1))
            if len(data) <= limit:
                return data
    raise OSError(errno.EFBIG, f"larger than {limit:,} bytes")


def read_start(path: str | os.PathLike[str], size: int) -> bytes:
    """The first bytes of a regular file, so many or all of them."""
    with _opened(path) as file:
        return b"".join(_pieces(file, size))


def _opened(path: str | os.PathLike[str]) -> BinaryIO:
    """A regular file."""
    try:
        handle = os.open(path, _FLAGS)
    except ValueError:
        raise OSError(errno.EINVAL, "not the name of a file: it holds a NUL character") from None
    kind = os.fstat(handle).st_mode
    if stat.S_ISREG(kind):
        return os.fdopen(handle, "rb")
    os.close(handle)
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, "is a directory")
    raise OSError(errno.EINVAL, "not a regular file")


def _pieces(file: BinaryIO, left: int) -> Iterator[bytes]:
    while left > 0 and (piece := file.read(min(left, _AT_ONCE))):
        left -= len(piece)
        yield piece
