"""Where the threads of a run wait for each other, and who goes on together.

In: which threads come to a barrier, and where. Out: the places whose threads have met: one place
where all that are left wait, or, for barriers with a number (`bar.sync 1, 160`), all places of one
number once as many have come as it is for; `bar.arrive` counts, and does not wait. A meeting of
some threads is taken for one of the whole block: what is then taken for ordered may not be. So is
an mbarrier that a part of the block uses; what that part does behind it is ordered before others.
Follows the PTX ISA, 9.7.13.1 (`bar`, `barrier`): threads meet by the number, not by the line.
Not handled: numbers and counts that threads compute, each for itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .run_context import Place
from .thread_vectors import size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.operations import Barrier
    from .block_values import BlockValues
    from .thread_vectors import Threads

    Site = tuple[Block, int]  # before this step


class StopError(Exception):
    """A run of a block cannot go on; the reason."""


class BarrierRendezvous:
    """The threads of one run of a block that wait at barriers."""

    def __init__(self, values: BlockValues, count: int) -> None:
        self._values = values
        self._count = count  # threads of the block
        self.waiting: dict[Site, Place] = {}  # before which steps
        self._leaving: list[Site] = []  # of those: they have met
        self._asked: dict[Site, tuple[int, int]] = {}  # the number there, and how many it is for
        self._arrived: dict[int, Threads] = {}
        self._ahead: tuple[Barrier, Threads] | None = None  # behind an mbarrier

    def numbered(self, barrier: Barrier) -> tuple[int, int] | None:
        """The number of a barrier and how many threads it is for; None where that is not known."""
        number = 0 if barrier.identifier is None else self._values.of(barrier.identifier)
        count = self._count if barrier.count is None else self._values.of(barrier.count)
        if isinstance(number, int) and isinstance(count, int):
            return number, count
        return None

    def wait(self, site: Site, place: Place, asked: tuple[int, int] | None = None) -> None:
        """Threads wait before a step, perhaps for those who come to a number."""
        if site in self._leaving:
            raise StopError("threads wait again at a barrier that others are leaving")
        waiting = self.waiting.setdefault(site, Place())
        waiting.must |= place.must
        waiting.may |= place.may
        if asked is not None:
            self._asked[site] = asked

    def arrive(self, number: int, threads: Threads) -> None:
        """These threads count for a number, and go on."""
        self._arrived[number] = self._arrived.get(number, 0) | threads

    def go_ahead(self, barrier: Barrier, threads: Threads) -> None:
        """These threads go past an mbarrier: some have waited for others, nobody knows who."""
        self._ahead = barrier, threads

    def let_others_go(self, threads: Threads) -> Barrier | None:
        """The mbarrier that these threads are told apart by from those that went past it before."""
        if self._ahead is None or not threads & ~self._ahead[1]:
            return None
        barrier, _ = self._ahead
        self._ahead = None
        return barrier

    def meet(self) -> Site:
        """One of the places whose threads go on, once everybody waits."""
        self._leaving = self._complete()
        if not self._leaving and self._asked:
            raise StopError("parts of the block wait for each other at named barriers")
        if not self._leaving and len(self.waiting) > 1:
            raise StopError("threads wait at different barriers")
        self._leaving = self._leaving or list(self.waiting)
        return self._leaving[0]

    def leave(self) -> Iterator[tuple[Site, Place]]:
        """The threads that have met; those of the next place wait until they are asked for."""
        while self._leaving:
            site = self._leaving.pop()
            yield site, self.waiting.pop(site)

    def _complete(self) -> list[Site]:
        """The places that threads wait at for a number to which all have come."""
        for number, count in sorted(set(self._asked.values())):
            sites = [site for site, asked in self._asked.items() if asked == (number, count)]
            threads = self._arrived.get(number, 0)
            for site in sites:
                threads |= self.waiting[site].threads
            if size(threads) == count:
                self._arrived.pop(number, None)
                self._asked = {s: a for s, a in self._asked.items() if s not in sites}
                return sites
        return []
