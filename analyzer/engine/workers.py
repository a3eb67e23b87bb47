"""Work shared by several processes.

In: a function, its arguments, and how many processes may help. Out: the results in the order of the
arguments. Few arguments are not worth a process. A worker that dies (out of memory, a signal) must
not cost the run: what it left undone is done here.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

Argument = TypeVar("Argument")
Result = TypeVar("Result")

#: Starting a process takes about as long as checking a small file.
_WORTH_A_PROCESS = 4


def shared_work(
    function: Callable[[Argument], Result], arguments: Sequence[Argument], jobs: int
) -> list[Result]:
    """`function` of each argument."""
    helpers = min(jobs, len(arguments) // _WORTH_A_PROCESS)
    if helpers < 2:
        return [function(argument) for argument in arguments]
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(helpers) as pool:
        futures = [pool.submit(function, argument) for argument in arguments]
        return [
            _result(future, function, argument)
            for future, argument in zip(futures, arguments, strict=True)
        ]


def _result(
    future: Future[Result], function: Callable[[Argument], Result], argument: Argument
) -> Result:
    from concurrent.futures.process import BrokenProcessPool

    try:
        return future.result()
    except BrokenProcessPool:
        return function(argument)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
