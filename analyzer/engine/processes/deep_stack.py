"""Work that may nest deeper than Python allows by itself.

In: an action. Out: what it returns, or what it raises. It runs in a thread with a stack of its own
that is large enough for thousands of calls inside of each other, such as values that are
computed from each other take; deeper ones end as a `RecursionError`, never in a crash. Nothing runs
beside it: the caller waits.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")

DEEPEST = 8_000  # calls
_BYTES = 64 << 20  # of address space; memory is used as far as calls really nest


def deeply(action: Callable[[], Result]) -> Result:
    """What the action returns, run with a stack for deep recursion."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(action())
        except BaseException as error:
            errors.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size()
    sys.setrecursionlimit(max(limit, DEEPEST))
    threading.stack_size(_BYTES)
    try:
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return results[0]
