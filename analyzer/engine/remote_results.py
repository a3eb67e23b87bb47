"""Results that machines share, in a folder or wherever `fsspec` leads: an object store, HTTP.

In: the name of a result, the hash of all that it depends on before it is read, and its bytes. Out:
the bytes that a machine has kept under this name, or nothing. What comes from there is a
stranger's: `result_cache.py` uses it only if it is a result of the very file, whose every question
to the file system has the same answer here. A place that fails, or lets itself be waited for, is
not asked again by this process: a run without it only takes longer. Nothing is removed from a place
that is not a folder; its owner says how long it keeps things.
"""

from __future__ import annotations

import os
import threading
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...grammars.stored import load, make_room, store
from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

Answer = TypeVar("Answer")

#: Of a shared folder, in each of its 256 folders: results of many branches.
_PER_FOLDER = 4_000
_MOST_OF_A_FOLDER = 40_000_000  # bytes
_PATIENCE = 20.0  # seconds for one answer

_failed: dict[str, str] = {}  # why a place is not asked again, by its address


class RemoteError(Exception):
    """An address of shared results that leads nowhere: a message and what to do."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.message, self.advice = message, advice


@dataclass(frozen=True, slots=True)
class RemoteResults:
    """Results of checks at an address that machines share; this run may write there or not."""

    address: str
    writes: bool = True

    def get(self, name: str, most: int) -> bytes | None:
        """What is kept under a name, if it is as it was written and has at most so many bytes."""
        if not _is_url(self.address):
            return load(Path(self.address) / name, most)
        data = self._answer(lambda: _read(self.address, name, most))
        return data[32:] if data and sha256(data[32:]).digest() == data[:32] else None

    def put(self, name: str, payload: bytes) -> None:
        """Keep a result, where this run may write."""
        if not self.writes:
            return
        if _is_url(self.address):
            self._answer(lambda: _write(self.address, name, sha256(payload).digest() + payload))
            return
        place = Path(self.address) / name
        if store(place, payload, mode=0o666):  # the umask says who may read it
            try:
                make_room(os.scandir(place.parent), _PER_FOLDER, _MOST_OF_A_FOLDER)
            except OSError:
                return  # another machine is doing it

    def trouble(self) -> str:
        """Why nothing can be had from the place; empty if it answers. Raises RemoteError."""
        if not _is_url(self.address):
            return ""
        self._answer(lambda: _read(self.address, "00/warplint", 1))
        return _failed.get(self.address, "")

    def _answer(self, ask: Callable[[], Answer]) -> Answer | None:
        """The answer, unless the place fails now or has failed before."""
        if self.address in _failed:
            return None
        answers: list[Answer | Exception] = []
        thread = threading.Thread(target=self._ask, args=(ask, answers), daemon=True)
        thread.start()
        thread.join(_PATIENCE)
        answer = answers[0] if answers else TimeoutError(f"no answer in {_PATIENCE:g} seconds")
        if isinstance(answer, RemoteError):
            raise answer
        if isinstance(answer, Exception):
            first = str(answer).strip().partition("\n")[0]
            _failed[self.address] = f"{type(answer).__name__}: {first}"[:200]
            return None
        return answer

    def _ask(self, ask: Callable[[], Answer], answers: list[Answer | Exception]) -> None:
        try:
            answers.append(ask())
        except Exception as error:  # of any library that an address leads to
            answers.append(error)


def _is_url(address: str) -> bool:
    return "://" in address


@cache
def _opened(address: str, _process: int) -> tuple[Any, str]:
    """The file system that an address leads to, and the folder in it."""
    try:
        from fsspec.core import url_to_fs
    except ModuleNotFoundError:
        advice = 'install it with `pip install "warplint[remote]"`, or name a folder'
        raise RemoteError(f"{address} needs fsspec, which is not installed", advice) from None
    try:
        system, root = url_to_fs(address)
    except (ImportError, ValueError) as error:
        advice = "fsspec reads it once the package that it asks for is installed"
        raise RemoteError(f"{address} cannot be read: {error}", advice) from None
    return system, str(root).rstrip("/")


def _read(address: str, name: str, most: int) -> bytes | None:
    system, root = _opened(address, os.getpid())
    try:
        with system.open(f"{root}/{name}", "rb") as file:
            data: bytes = file.read(most + 33)
    except FileNotFoundError:
        return None
    return data if len(data) <= most + 32 else None


def _write(address: str, name: str, data: bytes) -> None:
    system, root = _opened(address, os.getpid())
    folder = f"{root}/{name}".rpartition("/")[0]
    system.makedirs(folder, exist_ok=True)
    system.pipe_file(f"{root}/{name}", data)
