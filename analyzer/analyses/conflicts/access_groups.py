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


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """For each place of a visit the first and the last thread that touch it."""

    first: dict[int, int]
    last: dict[int, int]
    alone: bool  # no place is touched by two threads

    def __len__(self) -> int:
        return len(self.first)

    def shared_with(self, other: Places) -> list[int]:
        """The places that two threads touch, one of each visit."""
        if self.alone and other.alone:
            if self is other or self.first == other.first:
                return []
            first, theirs = self.first, other.first
            return sorted(
                [place for place in first.keys() & theirs if first[place] != theirs[place]]
            )
        common = self.first.keys() & other.first.keys()
        return sorted(
            place
            for place in common
            if not self.first[place] == self.last[place] == other.first[place] == other.last[place]
        )
