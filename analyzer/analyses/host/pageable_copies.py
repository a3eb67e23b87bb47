"""Asynchronous copies that are none: host memory that may be paged out is copied on the spot.

In: the calls of a file. Out: each such copy, with the memory (CUDA Runtime API, "API
synchronization behavior"). Not handled: copies of rows, and to symbols.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ...ir.host import HostCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.host import Allocation
    from ...source.text import Span
    from .facts import HostFacts

_SMALL = 4096  # bytes
_WAITING = frozenset({"cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize"})


def pageable_copies(facts: HostFacts) -> Iterator[tuple[HostCall, Allocation]]:
    """Asynchronous copies of host code from or to host memory that may be paged out, but for small
    ones, of a variable say, and those that the host waits for at once.
    """
    seen: set[Span] = set()
    waited = _waited_for(facts)
    for call in facts.calls:
        known = call.span in waited or call.name != "cudaMemcpyAsync" or call.span in seen
        if known or len(call.arguments) < 2:
            continue
        for argument in call.arguments[:2]:
            pointer = argument.pointer
            if pointer is None or not pointer.allocation.residence.on_host:
                continue
            size = pointer.allocation.size
            if not (isinstance(size, int) and size <= _SMALL):
                seen.add(call.span)
                yield call, pointer.allocation


def _waited_for(facts: HostFacts) -> set[Span]:
    """The calls after which the host does nothing but wait: nothing was to go on beside them."""
    calls = list(facts.module.host)
    return {
        one.span
        for one, following in pairwise(calls)
        if isinstance(following, HostCall)
        and following.name in _WAITING
        and following.function == getattr(one, "function", None)
    }
