"""Work shared with copies of this process, for arguments that are too large to hand over.

In: a function, its arguments (what was read of a file, say), and how many processes may work. Out:
the results in the order of the arguments. Workers are forked, so that they have everything; only
results come back. Each begins with an argument of its own, and whoever is free takes the next one.
A copy that dies, or whose results cannot be handed over, costs nothing: what it left undone is done
here. Not handled: systems where a process cannot be copied without harm (Windows; macOS, whose
libraries do not survive it) and processes with threads: all is done here.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Self

Argument = TypeVar("Argument")
Result = TypeVar("Result")

#: Copying a process takes about as long as a dozen kernels of usual size.
_WORTH_A_COPY = 24
_TURN = 2  # bytes
_MOST_TURNS = 2_000  # that a pipe holds everywhere: a page of memory


def work_of_copies(
    function: Callable[[Argument], Result], arguments: Sequence[Argument], jobs: int
) -> list[Result]:
    """`function` of each argument, shared among copies (forks) of this process."""
    workers = min(jobs, len(arguments) // _WORTH_A_COPY) if _can_copy() else 1
    if workers < 2:
        return [function(argument) for argument in arguments]

    def work(places: Iterable[int]) -> dict[int, Result]:
        return {place: function(arguments[place]) for place in places}

    with _Turns(workers, len(arguments)) as turns:
        copies = [_copy(partial(work, turns.of(worker))) for worker in range(1, workers)]
        try:
            done = work(turns.of(0))
            for copy in copies:
                if copy is not None:
                    done |= copy.results()
        finally:
            for copy in copies:
                if copy is not None:
                    copy.end()
    done |= work(place for place in range(len(arguments)) if place not in done)
    return [done[place] for place in range(len(arguments))]


class _Turns:
    """The places below `count`, each of which one of the processes gets.

    All but the first ones lie in a pipe, several together where it would not hold them.
    """

    def __init__(self, workers: int, count: int) -> None:
        self._workers, self._count = workers, count
        self._size = -(-count // _MOST_TURNS)
        self._pipe, end = os.pipe()
        turns = range(-(-(count - workers) // self._size))
        os.write(end, b"".join([turn.to_bytes(_TURN, "little") for turn in turns]))
        os.close(end)

    def of(self, worker: int) -> Iterator[int]:
        """Those of one process, which are taken when they are asked for."""
        yield worker
        while turn := os.read(self._pipe, _TURN):
            start = self._workers + int.from_bytes(turn, "little") * self._size
            yield from range(start, min(start + self._size, self._count))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        os.close(self._pipe)


def _can_copy() -> bool:
    import threading

    return sys.platform == "linux" and threading.active_count() == 1


@dataclass(frozen=True, slots=True)
class _Copy:
    """A copy of this process, and the pipe that its results come through."""

    process: int
    pipe: BinaryIO

    def results(self) -> dict[int, Any]:
        """What it found; nothing where it did not come to the end."""
        import pickle

        try:
            found: dict[int, Any] = pickle.load(self.pipe)
        except (EOFError, pickle.UnpicklingError):
            return {}
        return found

    def end(self) -> None:
        """Nobody waits for it any longer."""
        import signal

        self.pipe.close()
        os.kill(self.process, signal.SIGKILL)  # it is there, if only to be waited for
        os.waitpid(self.process, 0)


def _copy(work: Callable[[], dict[int, Any]]) -> _Copy | None:
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

        results = pickle.dumps(work())
        with open(theirs, "wb") as pipe:
            pipe.write(results)
    finally:
        os._exit(0)  # what this process does at its end is not the copy's to do
