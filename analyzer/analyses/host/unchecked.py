"""Launches and calls whose errors nobody looks at.

In: the events of a file's host code. Out: their places, each once.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...source.text import Span
    from .facts import HostFacts

#: What a program can go on without: giving back, and asking what it may ignore.
_HARMLESS = (
    "cudaFree",
    "cudaGetLastError",
    "cudaPeekAtLastError",
    "cudaEvent",
    "cudaStreamDestroy",
    "cudaProfiler",
    "cudaDeviceReset",
    "cudaThreadExit",
    "cudaUnbind",
    "cudaDestroy",
)
#: What only fails where something else has failed before it, and hints that may go unheard.
_ANSWERING = frozenset(
    {
        "cudaDeviceGetAttribute",
        "cudaDeviceGetStreamPriorityRange",
        "cudaDeviceSetCacheConfig",
        "cudaFuncSetCacheConfig",
        "cudaGetDevice",
        "cudaGetDeviceProperties",
    }
)
#: What waits for kernels: their faults are reported by every later call, too.
_WAITING = frozenset({"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaThreadSynchronize"})


def unchecked_launches(facts: HostFacts) -> list[Span]:
    """The launches in host code after which nothing asks for an error."""
    return sorted({each.span for each in facts.launches if not each.checked}, key=_place)


def discarded_calls(facts: HostFacts) -> list[Span]:
    """The calls of the CUDA runtime whose result host code throws away. What is given such a result
    looks at it: no function of the runtime takes an error, but for those that name one. Waiting
    alone, where a file looks at whatever it launches, is none.
    """
    calls = {each.span: each for each in facts.calls if each.name[:4] == "cuda"}
    starts = sorted((span.path, span.start) for span in calls)
    asking = [span for span, each in calls.items() if not each.discarded]
    found = [
        span
        for span, each in calls.items()
        if each.discarded
        and not _is_harmless(each.name)
        and not _holds(span, starts)
        and not (each.name in _WAITING and any(_comes_after(later, span) for later in asking))
    ]
    if all(calls[span].name in _WAITING for span in found) and not unchecked_launches(facts):
        return []
    return sorted(found, key=_place)


def _comes_after(later: Span, span: Span) -> bool:
    """Whether a call stands below another one in one file."""
    return later.source is span.source and later.start > span.start


def _is_harmless(name: str) -> bool:
    return name in _ANSWERING or name.startswith(_HARMLESS)


def _holds(span: Span, starts: list[tuple[str, int]]) -> bool:
    """Whether one of these begins within a place, after its start."""
    at = bisect_right(starts, (span.path, span.start))
    return at < len(starts) and starts[at][0] == span.path and starts[at][1] < span.end


def _place(span: Span) -> int:
    return span.start
