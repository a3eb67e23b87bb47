"""Bytes that stand in for source files of the disk, where a run speaks of another state of them.

In: what tells, of a path and the bytes found there, the ones to be read instead. Out: what readers
of sources get. Configuration, lists and records are read as they lie on the disk.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from .files import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    StandIn = Callable[[str, bytes], bytes]

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_current: list[StandIn] = []  # the last one counts


@contextmanager
def standing_in(stand_in: StandIn) -> Iterator[None]:
    """Inside of the `with`, sources are read as this says."""
    _current.append(stand_in)
    try:
        yield
    finally:
        _current.pop()


def read_source_file(path: str, limit: int) -> bytes:
    """The bytes of a source; an OSError as `read_regular` raises it."""
    data = read_regular(path, limit)
    return _current[-1](path, data) if _current else data


def with_stand_in(function: Callable[[Argument], Result]) -> Callable[[Argument], Result]:
    """The function as another process has to call it to read what this one would."""
    return partial(_call, _current[-1], function) if _current else function


def _call(stand_in: StandIn, function: Callable[[Argument], Result], argument: Argument) -> Result:
    with standing_in(stand_in):
        return function(argument)
