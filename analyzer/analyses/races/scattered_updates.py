"""Updates by several threads at an index that comes from memory: bins, bests, sets of bits.

In: a kernel's facts. Out: for each store that goes on from what stands there (`updates.py`), at an
index that data gives, how many threads make it, and what speaks against two of them coming to one
element (`doubts/updates`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.records import dataclass
from ..doubts.question.doubt import doubts_of
from ..doubts.updates.candidates import ScatteredCandidate
from ..doubts.updates.unique_indices import keeps_the_best
from ..pointers.indirect_addresses import is_found_in_memory, is_row_found_in_memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess
    from ..conflicts.race_context import RaceContext
    from ..doubts.question.doubt import AnyDoubt
    from .facts import RaceFacts


@dataclass(frozen=True, slots=True)
class ScatteredUpdate:
    """An update by several threads, which may meet, of an array at an index from memory."""

    candidate: ScatteredCandidate
    doubts: tuple[AnyDoubt, ...]
    keeps: bool  # the least or the greatest, of each place

    @property
    def store(self) -> MemoryAccess:
        """The store that writes it back."""
        return self.candidate.store

    @property
    def item(self) -> MemoryObject | None:
        """The array, where it is known."""
        return self.candidate.item

    @property
    def threads(self) -> int:
        """How many threads make it."""
        return self.candidate.threads

    @property
    def counts(self) -> bool:
        """Whether it counts in bins, keeps the best or sets bits of words that others share."""
        return not self.doubts


def scattered_updates(facts: RaceFacts) -> Iterator[ScatteredUpdate]:
    """The updates that several threads make at an index from memory, with their doubts."""
    for candidate in scattered_candidates(facts):
        from ..doubts.registry import OF_UPDATES

        doubts = doubts_of(OF_UPDATES, candidate, every=facts.options.doubted)
        yield ScatteredUpdate(candidate, doubts, keeps_the_best(candidate))


def scattered_candidates(facts: RaceFacts) -> Iterator[ScatteredCandidate]:
    """The updates at an index from memory, each once, before their doubts are asked."""
    seen: set[MemoryAccess] = set()
    for each in facts.shaped_races if facts.updates else ():
        for row in _updated_rows(each):
            if row.store not in seen:
                seen.add(row.store)
                yield row
        for run in each.runs.scenarios[:1]:
            for store, threads in run.seen.not_known.items():
                loads = facts.updates.get(store)
                if not loads or threads <= 1 or store in seen:
                    continue
                if is_found_in_memory(facts, store.address):
                    seen.add(store)
                    item = facts.points_to.object_of(store)
                    yield ScatteredCandidate(each, store, item, loads, threads)


def _updated_rows(races: RaceContext) -> Iterator[ScatteredCandidate]:
    """The updates in rows that data leads blocks to, or the rows of a block, where each thread has
    its own place.
    """
    facts, launch = races.launch.facts, races.launch.launch
    if not facts.options.doubted or launch.grid == (1, 1, 1):
        return
    first = races.runs.scenarios[:1]
    executed = {each for run in first for each in (*run.seen.executed, *run.seen.not_known)}
    for store, loads in facts.updates.items():
        if store in executed and is_row_found_in_memory(facts, store.address):
            item = facts.points_to.object_of(store)
            yield ScatteredCandidate(races, store, item, loads, launch.threads)
