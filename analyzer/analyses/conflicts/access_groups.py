"""Threads of a visit whose addresses are known, as they wait for others to be compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.records import dataclass

if TYPE_CHECKING:
    from ..block_execution.run_context import AccessEvent
    from ..block_execution.thread_vectors import Threads


@dataclass(slots=True, eq=False)
class AccessGroup:
    """Threads of a visit, and from where to where in the object they reach."""

    event: AccessEvent
    threads: Threads
    must: bool
    low: int
    high: int
    time: int
