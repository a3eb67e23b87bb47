"""How far a long run is, on the terminal of the one who waits.

A line on stderr that rewrites itself, only where stderr is a terminal, only after a second, and
never under pre-commit, which shows output when a hook is done. It is gone when the run is.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

_PATIENCE = 1.0  # seconds before anything is shown
_PAUSE = 0.1  # seconds between two updates
_CLEAR = "\r\x1b[K"


class Progress:
    """Shows how far a command is on stderr: `checked 12 of 340 files`."""

    def __init__(
        self, stream: TextIO, clock: Callable[[], float] = time.monotonic, what: str = "files"
    ) -> None:
        self._stream = stream
        self._what = what
        self._clock = clock
        self._next = clock() + _PATIENCE
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        """`done` of `total` are checked."""
        if self._clock() < self._next and done < total:
            return
        if done < total:
            self._next = self._clock() + _PAUSE
            self._write(f"{_CLEAR}checked {done} of {total} {self._what}")
            self._shown = True
        elif self._shown:
            self._write(_CLEAR)

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:  # the terminal is gone: the report may still have a place to go
            self._next = float("inf")


def progress(what: str = "files") -> Progress | None:
    """The progress that a command shows of its run; None where nobody would see it."""
    if os.environ.get("PRE_COMMIT") == "1" or not sys.stderr.isatty():
        return None
    return Progress(sys.stderr, what=what)
