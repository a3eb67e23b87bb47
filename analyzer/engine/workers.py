"""Work shared by several processes.

In: a function, its arguments, and how many processes may help. Out: the results in the order of the
arguments. Few arguments are not worth a process. A worker that dies (out of memory, a signal), or
whose result cannot be handed over, must not cost the run: what it left undone is done here.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Future

Argument = TypeVar("Argument")
Result = TypeVar("Result")

#: Starting a process takes about as long as checking a small file.
_WORTH_A_PROCESS = 4


def shared_work(
    function: Callable[[Argument], Result],
    arguments: Sequence[Argument],
    jobs: int,
    progress: Callable[[int, int], None] | None = None,
) -> list[Result]:
    """`function` of each argument; `progress` hears how many of how many are done."""
    helpers = min(jobs, len(arguments) // _WORTH_A_PROCESS)
    if helpers < 2:
        return _told(map(function, arguments), len(arguments), progress)
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(helpers) as pool:
        futures = [pool.submit(function, argument) for argument in arguments]
        results = (
            _result(future, function, argument)
            for future, argument in zip(futures, arguments, strict=True)
        )
        return _told(results, len(arguments), progress)


def _told(
    results: Iterable[Result], total: int, progress: Callable[[int, int], None] | None
) -> list[Result]:
    """The results, each announced as it comes."""
    done: list[Result] = []
    for result in results:
        done.append(result)
        if progress is not None:
            progress(len(done), total)
    return done


def _result(
    future: Future[Result], function: Callable[[Argument], Result], argument: Argument
) -> Result:
    try:
        return future.result()
    except Exception:
        return function(argument)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
