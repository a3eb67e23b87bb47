"""Threads that leave an array of shared memory, as the runs of a block show them.

In: a kernel's facts. Out: each such access once, with the thread that goes farthest. It is definite
where no doubt holds (`doubts/bounds`): every thread goes there, or the launch is stated, and no
assumed number has a part in it, nor the size of a block that nobody states. Where the first block
does not stand for all of them, others of the grid are looked at (`block_shape/other_blocks.py`).
Not handled: arrays in other spaces, accesses in iterations of loops that were left out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...source.records import dataclass
from ..doubts.bounds.candidates import OutsideCandidate
from ..doubts.question.doubt import doubts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.operations import MemoryAccess
    from ..block_execution.access_events import Outside
    from ..doubts.question.doubt import AnyDoubt
    from .facts import RaceFacts


@dataclass(frozen=True, slots=True)
class OutOfBounds:
    """A thread that leaves an array of shared memory in a run, and its doubts."""

    candidate: OutsideCandidate
    doubts: tuple[AnyDoubt, ...]

    @property
    def outside(self) -> Outside:
        """The thread and how far it goes."""
        return self.candidate.outside

    @property
    def definite(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.doubts


def out_of_bounds(facts: RaceFacts) -> tuple[OutOfBounds, ...]:
    """The accesses beyond the end of shared arrays that runs of the block show, each once."""
    found: dict[MemoryAccess, OutOfBounds] = {}
    for candidate in outside_candidates(facts):
        access = candidate.access
        if access in found and found[access].definite:
            continue
        doubts = _doubts(candidate, every=False)
        if access not in found or not doubts:
            found[access] = OutOfBounds(candidate, doubts)
    return tuple(map(_in_full, found.values()) if facts.options.doubted else found.values())


def _in_full(found: OutOfBounds) -> OutOfBounds:
    """With all its doubts."""
    with found.candidate.context.aside():
        return replace(found, doubts=_doubts(found.candidate, every=True))


def _doubts(candidate: OutsideCandidate, *, every: bool) -> tuple[AnyDoubt, ...]:
    from ..doubts.registry import OF_BOUNDS

    return doubts_of(OF_BOUNDS, candidate, every=every)


def outside_candidates(facts: RaceFacts) -> Iterator[OutsideCandidate]:
    """The accesses beyond the end of shared arrays in all runs, before their doubts are asked."""
    for races in facts.shaped_races if Space.SHARED in facts.spaces_with_ends else ():
        for run in (*races.runs.scenarios, *races.runs.other_blocks):
            for outside in run.seen.outside.values():
                if outside.item.space is Space.SHARED:
                    yield OutsideCandidate(races, run, outside)
