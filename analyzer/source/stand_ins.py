"""Bytes that stand in for source files of the disk, where a run speaks of another state of them.

In: what tells, of a path and the bytes found there, the ones to be read instead; or the texts that
an editor has not saved, some of them of files that do not exist yet. Out: what readers of sources
get. Configuration, lists and records are read as they lie on the disk.
"""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from .files import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    StandIn = Callable[[str, bytes], bytes]

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_current: list[StandIn] = []  # the last one counts
_unsaved: dict[str, bytes] = {}  # by real path


@contextmanager
def standing_in(stand_in: StandIn) -> Iterator[None]:
    """Inside of the `with`, source files are read as this stand-in says, not from the disk."""
    _current.append(stand_in)
    try:
        yield
    finally:
        _current.pop()


@contextmanager
def unsaved(texts: Mapping[str, bytes]) -> Iterator[None]:
    """Inside of the `with`, the files of these real paths hold an editor's unsaved bytes and do
    exist.
    """
    _unsaved.update(texts)
    try:
        yield
    finally:
        _unsaved.clear()


def is_unsaved(path: str) -> bool:
    """Whether a source file is there as unsaved text of an editor, although the disk may
    have none.
    """
    return bool(_unsaved) and os.path.realpath(path) in _unsaved


def read_source_file(path: str, limit: int) -> bytes:
    """The bytes of a source file, or what stands in for it; an OSError as `read_regular`
    raises it.
    """
    if is_unsaved(path):
        text = _unsaved[os.path.realpath(path)]
        if len(text) > limit:
            raise OSError(errno.EFBIG, f"larger than {limit:,} bytes")
        return text
    data = read_regular(path, limit)
    return _current[-1](path, data) if _current else data


def with_stand_in(function: Callable[[Argument], Result]) -> Callable[[Argument], Result]:
    """The function as another process has to call it to read the source files that this one
    would.
    """
    return partial(_call, _current[-1], function) if _current else function


def _call(stand_in: StandIn, function: Callable[[Argument], Result], argument: Argument) -> Result:
    with standing_in(stand_in):
        return function(argument)
