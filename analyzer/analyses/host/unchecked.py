"""Launches and calls whose errors nobody looks at.

In: the events of a file's host code. Out: their places, each once.
"""

from __future__ import annotations

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


def unchecked_launches(facts: HostFacts) -> list[Span]:
    """The launches after which nothing asks for an error."""
    return sorted({each.span for each in facts.launches if not each.checked}, key=_place)


def discarded_calls(facts: HostFacts) -> list[Span]:
    """The calls of the runtime whose result is thrown away."""
    found = {
        each.span
        for each in facts.calls
        if each.discarded and each.name[:4] == "cuda" and not each.name.startswith(_HARMLESS)
    }
    return sorted(found, key=_place)


def _place(span: Span) -> int:
    return span.start
