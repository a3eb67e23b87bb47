"""Work shared with copies of this process, for arguments that are too large to hand over.

In: a function, its arguments (what was read of a file, say), and how many processes may work. Out:
the results in the order of the arguments. Workers are forked, so that they have everything; only
results come back. A copy that dies, or whose results cannot be handed over, costs nothing: what it
left undone is done here. Not handled: systems where a process cannot be copied without harm
(Windows; macOS, whose libraries do not survive it) and processes with threads: all is done here.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar, cast

from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Argument = TypeVar("Argument")
Result = TypeVar("Result")

#: Copying a process takes about as long as a dozen kernels of usual size.
_WORTH_A_COPY = 24


def work_of_copies(
    function: Callable[[Argument], Result], arguments: Sequence[Argument], jobs: int
) -> list[Result]:
    """`function` of each argument; every process does one of so many, the first of them here."""
    workers = min(jobs, len(arguments) // _WORTH_A_COPY) if _can_copy() else 1
    if workers < 2:
        return [function(argument) for argument in arguments]
    results: list[Result | None] = [None] * len(arguments)
    shares = [arguments[first::workers] for first in range(workers)]
    copies = [_copy(function, share) for share in shares[1:]]
    try:
        results[::workers] = [function(argument) for argument in shares[0]]
        for first, copy in enumerate(copies, 1):
            done = None if copy is None else copy.results()
            if done is None:
                done = [function(argument) for argument in shares[first]]
            results[first::workers] = done
    finally:
        for copy in copies:
            if copy is not None:
                copy.end()
    return cast("list[Result]", results)


def _can_copy() -> bool:
    import threading

    return sys.platform == "linux" and threading.active_count() == 1


@dataclass(frozen=True, slots=True)
class _Copy:
    """A copy of this process, and the pipe that its results come through."""

    process: int
    pipe: BinaryIO

    def results(self) -> list[Any] | None:
        """What it found; None where it did not come to the end."""
        import pickle

        try:
            found: list[Any] = pickle.load(self.pipe)
        except (EOFError, pickle.UnpicklingError):
            return None
        return found

    def end(self) -> None:
        """Nobody waits for it any longer."""
        import signal

        self.pipe.close()
        os.kill(self.process, signal.SIGKILL)  # it is there, if only to be waited for
        os.waitpid(self.process, 0)


def _copy(function: Callable[[Argument], Result], arguments: Sequence[Argument]) -> _Copy | None:
    """A copy that is at work; None where the system has no more processes."""
    ours, theirs = os.pipe()
    try:
        process = os.fork()
    except OSError:
        os.close(ours)
        os.close(theirs)
        return None
    if process:
        os.close(theirs)
        return _Copy(process, open(ours, "rb"))
    try:
        import pickle

        results = pickle.dumps([function(argument) for argument in arguments])
        with open(theirs, "wb") as pipe:
            pipe.write(results)
    finally:
        os._exit(0)  # what this process does at its end is not the copy's to do
