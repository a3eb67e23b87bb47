"""Work done by the workers of a Dask cluster.

In: where it is: `local:N` for N processes of this machine, else the address of a scheduler, and how
much memory a worker may take. Out: surveys of repositories, results of files. What a worker was at
when it died goes to another one; what several died of is lost, and said to be. Dask's messages are
Python's pickles: whoever reaches the scheduler can run code on it, so its network has to be one's
own, or its connections TLS, which Dask's own configuration switches on.
Workers of a cluster need the same warplint, and for `check` the same files at the same paths.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from importlib import import_module
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from ..config.errors import UsageError
from ..config.limits import MOST_JOBS
from ..engine.processes.stopping import Stopped, check_stopped
from ..engine.processes.workers import Done
from ..source.records import dataclass
from .survey import failed, survey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..engine.processes.workers import Task
    from .subjects import Subject
    from .survey import How, Survey

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_LOCAL = re.compile(r"local:([0-9]{1,3})")
_ADDRESS = re.compile(r"(?:tcp|tls)://\S+")
_DEATHS = 10  # of local workers that one piece of work is tried again after
_WAIT = 30.0  # seconds for a scheduler to answer
_LOOK = 1.0  # seconds from one look for lost local workers to the next


@dataclass(frozen=True, slots=True)
class _Lost:
    """What no worker lived to tell of."""

    how: str


class Cluster:
    """A client of the Dask cluster whose workers check the repositories of a fleet."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def processes(self) -> list[int]:
        """The process identifiers of the workers."""
        return list(self._client.run(os.getpid).values())

    def surveys(
        self, subjects: Sequence[Subject], how: How, keep: Callable[[Subject, Survey], None]
    ) -> None:
        """Check repositories; the first are begun first."""
        for number, found in self._each(survey, [(subject, how) for subject in subjects]):
            subject = subjects[number]
            if isinstance(found, _Lost):
                found = failed(subject, f"the process that checked it {found.how}")
            keep(subject, found)

    def shared_work(
        self, task: Task[Argument, Result], progress: Callable[[int, int], None] | None = None
    ) -> Done[Result]:
        """As `shared_work` of processes does it."""
        done: Done[Result] = Done()
        total = len(task.arguments)
        order = sorted(range(total), key=lambda number: -task.weight(task.arguments[number]))
        try:
            given = [(os.getcwd(), task.function, task.arguments[number]) for number in order]
            for at, found in self._each(_in_folder, given):
                argument = task.arguments[order[at]]
                lost = isinstance(found, _Lost)
                done.results[order[at]] = task.lost(argument, found.how) if lost else found
                if progress is not None:
                    progress(len(done.results), total)
        except Stopped as stop:
            done.stopped = stop.signal
            if progress is not None:
                progress(total, total)
        return done

    def _each(
        self, function: Callable[..., Any], given: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, Any]]:
        """Numbers and results as they come; `_Lost` for those that there is none of."""
        distributed = _distributed()
        futures = {
            self._client.submit(function, *each, pure=False, priority=-number): number
            for number, each in enumerate(given)
        }
        try:
            for future in distributed.as_completed(list(futures)):
                check_stopped()
                number = futures.pop(future)
                error = future.exception()
                if isinstance(error, distributed.KilledWorker):
                    yield number, _Lost("was lost with each worker that it was given to")
                else:
                    yield number, future.result()  # an error of our own is raised
        finally:
            self._client.cancel(list(futures), force=True)


def _in_folder(folder: str, function: Callable[[Argument], Result], argument: Argument) -> Result:
    """The function in the folder of the run: paths may be relative, and a worker has one thread."""
    os.chdir(folder)
    return function(argument)


def _distributed() -> Any:
    try:
        return import_module("distributed")
    except ImportError as error:
        raise UsageError(
            "a cluster needs Dask", "install `warplint[cluster]`: pip install 'warplint[cluster]'"
        ) from error


@contextmanager
def _always(processes: Any, number: int) -> Iterator[None]:
    """Have so many local workers until the block ends.

    Dask starts anew what dies, but gives up a worker that takes long to come back, or dies before
    it is there: without workers a run would wait for ever.
    """
    gone = {_distributed().Status.closed, _distributed().Status.failed}
    ended = Event()

    def replace() -> None:
        for name, worker in list(processes.workers.items()):
            if worker.status in gone:
                del processes.workers[name]
        processes.scale(number)

    def look() -> None:
        while not ended.wait(_LOOK):
            processes.loop.add_callback(replace)

    thread = Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def cluster(where: str, memory: int = 0) -> Iterator[Cluster]:
    """The Dask cluster at an address, for checks of a fleet; a local one ends with the block."""
    local, distributed = _LOCAL.fullmatch(where), _distributed()
    if local:
        if not 1 <= int(local[1]) <= MOST_JOBS:
            raise UsageError(f"`{where}` is no number of processes")
        import_module("dask").config.set({"distributed.scheduler.allowed-failures": _DEATHS})
        processes = distributed.LocalCluster(
            n_workers=int(local[1]),
            threads_per_worker=1,
            memory_limit=memory or "auto",
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        )
        with processes, distributed.Client(processes) as client, _always(processes, int(local[1])):
            yield Cluster(client)
        return
    if not _ADDRESS.fullmatch(where):
        raise UsageError(
            f"`{where}` is no cluster", "write local:4, or tcp://HOST:PORT of a Dask scheduler"
        )
    try:
        client = distributed.Client(where, timeout=_WAIT)
    except OSError as error:  # a time-out is one
        raise UsageError(f"no Dask scheduler answers at {where}: {error}") from error
    with client:
        yield Cluster(client)
