"""Work shared by several processes.

In: a function, its arguments, and how many processes may help. Out: the results by the number of
the argument, all of them unless the run was asked to end. Few arguments are not worth a process.
A worker that dies (out of memory, a signal, a full stack) costs nothing: its argument goes to
another one, and when that dies of it, too, `lost` makes the result: it is not tried here, where it
would end the run. Results that cannot be handed over are made here.
Workers know the arguments from their start; only numbers and results go through the pipes. None
outlives the run: they are killed when it ends, and look themselves whether it is still there.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter, deque
from contextlib import contextmanager, suppress
from dataclasses import field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from ...config.limits import MOST_JOBS
from ...source.records import dataclass
from ...source.stand_ins import with_stand_in
from .stopping import Stopped, check_stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Argument = TypeVar("Argument")
Result = TypeVar("Result")

#: Starting a process takes about as long as checking a small file.
_WORTH_A_PROCESS = 4
#: A copy of this process knows the arguments; where copies do harm, they are sent once.
_METHOD = "fork" if sys.platform == "linux" else None
_TRIES = 2  # workers that an argument may cost
_ASKING = (signal.SIGINT, signal.SIGTERM)
_LOOK = 0.5  # seconds between two looks of a worker at the run


@dataclass(slots=True)
class Done(Generic[Result]):
    """The results of work shared by processes; `stopped` is the signal that ended it early,
    or 0.
    """

    results: dict[int, Result] = field(default_factory=dict)
    stopped: int = 0


def _alike(_: object) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class Task(Generic[Argument, Result]):
    """What is to be done with each argument.

    `lost` makes the result of one that nobody lived to tell of; it hears how they ended. Those of
    the greatest `weight` are begun first, so that no process is still at a long one when the others
    have nothing left to do.
    """

    function: Callable[[Argument], Result]
    arguments: Sequence[Argument]
    lost: Callable[[Argument, str], Result]
    weight: Callable[[Argument], int] = _alike


class Sharing(Protocol):
    """Other processes or machines that the work of a run can be shared with."""

    def shared_work(
        self,
        task: Task[Argument, Result],
        progress: Callable[[int, int], None] | None = None,
    ) -> Done[Result]:
        """As `shared_work` below."""


def processes_for(total: int, jobs: int) -> int:
    """How many processes share so much work; this one does it alone where that is less than two."""
    return min(jobs, total // _WORTH_A_PROCESS, MOST_JOBS)


def shared_work(
    task: Task[Argument, Result],
    jobs: int,
    progress: Callable[[int, int], None] | None = None,
) -> Done[Result]:
    """A task's function of each argument, shared by processes; `progress` hears how many are
    done.
    """
    done: Done[Result] = Done()
    total = len(task.arguments)

    def keep(number: int, result: Result) -> None:
        done.results[number] = result
        if progress is not None:
            progress(len(done.results), total)

    helpers = processes_for(total, jobs)
    try:
        waiting = deque(range(total)) if helpers < 2 else _Pool(task, keep).run(helpers)
        for number in waiting:  # few, or where no process could be started
            check_stopped()
            keep(number, task.function(task.arguments[number]))
    except Stopped as stop:
        done.stopped = stop.signal
        if progress is not None:
            progress(total, total)  # nobody waits any longer
    return done


@dataclass(frozen=True, slots=True)
class _Worker:
    """A process and our end of the pipe to it."""

    process: BaseProcess
    pipe: Connection[Any, Any]


class _Pool(Generic[Argument, Result]):
    """The processes of one task, each busy with one argument."""

    def __init__(self, task: Task[Argument, Result], keep: Callable[[int, Result], None]) -> None:
        self._task = task
        self._keep = keep
        weights = [task.weight(argument) for argument in task.arguments]
        self._waiting = deque(sorted(range(len(weights)), key=lambda number: -weights[number]))
        self._busy: dict[Any, tuple[_Worker, int]] = {}  # by the pipe
        self._all: dict[Any, _Worker] = {}
        self._deaths: Counter[int] = Counter()

    def run(self, helpers: int) -> deque[int]:
        """Do the work; what is left over where no process can be started is handed back."""
        from multiprocessing.connection import wait

        try:
            while len(self._busy) < helpers and self._start():
                pass
            while self._busy:
                for pipe in wait(list(self._busy)):
                    check_stopped()
                    self._hear(*self._busy.pop(pipe))
        finally:
            self._end()
        return self._waiting

    def _start(self) -> bool:
        """One more worker, and an argument for it; whether there was one of each."""
        import multiprocessing

        if not self._waiting:
            return False
        context: Any = multiprocessing.get_context(_METHOD)
        ours, theirs = context.Pipe()
        inherited = [*self._all, ours] if context.get_start_method() == "fork" else []
        function = with_stand_in(self._task.function)
        given = (function, self._task.arguments, theirs, inherited, os.getpid())
        process = context.Process(target=_serve, args=given, daemon=True)
        with _signals_later():
            try:
                process.start()
            except OSError:  # the system has no more
                ours.close()
                return False
            finally:
                theirs.close()  # or nobody would notice when the worker is gone
            self._all[ours] = worker = _Worker(process, ours)
        return self._occupy(worker)

    def _occupy(self, worker: _Worker) -> bool:
        """Give a worker the next argument, or let it go."""
        if self._waiting:
            number = self._waiting.popleft()
            self._busy[worker.pipe] = (worker, number)
            with suppress(OSError):  # it is gone: whoever waits for it will hear
                worker.pipe.send(number)
            return True
        self._part_with(worker)  # the closed pipe ends it
        return False

    def _hear(self, worker: _Worker, number: int) -> None:
        """Take the result of a worker, which goes on, or note its death."""
        import pickle

        try:
            data = worker.pipe.recv_bytes()
        except (EOFError, OSError):
            self._bury(worker, number)
            return
        self._occupy(worker)  # before the result is unpacked, which may take a while
        argument = self._task.arguments[number]
        found = pickle.loads(data)
        self._keep(number, found[0] if found else self._task.function(argument))

    def _bury(self, worker: _Worker, number: int) -> None:
        self._part_with(worker)
        self._deaths[number] += 1
        if self._deaths[number] < _TRIES:
            self._waiting.append(number)
        else:
            how = _end_of(worker.process.exitcode or 0)
            self._keep(number, self._task.lost(self._task.arguments[number], how))
        self._start()

    def _part_with(self, worker: _Worker) -> None:
        worker.pipe.close()
        worker.process.join()
        del self._all[worker.pipe]

    def _end(self) -> None:
        for worker in self._all.values():
            worker.process.kill()
        for worker in self._all.values():
            worker.process.join()
            worker.pipe.close()


@contextmanager
def _signals_later() -> Iterator[None]:
    """Ctrl-C and SIGTERM wait: a worker must not be on its way in when they are answered."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ASKING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_of(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _serve(
    function: Callable[[Any], Any],
    arguments: Sequence[Any],
    pipe: Connection[Any, Any],
    inherited: Sequence[Connection[Any, Any]],
    run: int,
) -> None:
    """What a worker does: results for numbers, until the other end of the pipe is closed."""
    import pickle

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C asks the whole group: the run answers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in inherited:
        other.close()  # each has to end when its one other side does
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ASKING)
    look_after(run)
    while True:
        try:
            number = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            data = pickle.dumps((function(arguments[number]),))
        except Exception:  # it is made where it need not be handed over
            data = pickle.dumps(())
        try:
            pipe.send_bytes(data)
        except OSError:
            return


def look_after(run: int) -> None:
    """End this worker process when the run is gone, also in the middle of some work."""
    if not hasattr(signal, "setitimer"):
        return

    def look(*_: object) -> None:
        if os.getppid() != run:
            os._exit(1)

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, _LOOK, _LOOK)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
