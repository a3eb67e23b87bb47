"""How much may be spent on comparing who touches what, in one run of a block and in all runs.

Beyond it nothing more is looked at, which the summary says: `used_up`. Steps are counted, not time.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...source.records import dataclass
from ..launch.allowance import METER

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACES = 512  # that one comparison looks at; with more of them it counts as several
CONFLICT = 16  # comparisons: what a conflict costs that is judged and told of
_COMPARISONS = 20_000  # of two visits that may meet, in one run
_IN_ALL = 40_000  # for one launch
_FEWEST = 2_000  # for runs that come late
_CANDIDATES = 60_000  # pairs of threads that one run looks at
_CANDIDATES_IN_ALL = 220_000
_COMPARED, _TRIED = 8, 16  # steps of the kernel's work


@dataclass(slots=True)
class Effort:
    """How much one run of a block may still spend on comparing who touches what."""

    comparisons: int
    checks: int = 1_000_000  # whether two visits may meet
    candidates: int = _CANDIDATES

    made: int = 0  # comparisons
    tried: int = 0  # candidates

    @property
    def used_up(self) -> bool:
        """Whether something was not looked at."""
        return self.made >= self.comparisons or min(self.checks, self.candidates - self.tried) <= 0


class Efforts:
    """How much all runs of one launch may still spend on comparing who touches what."""

    def __init__(self) -> None:
        self._left = _IN_ALL
        self._candidates = _CANDIDATES_IN_ALL

    def next(self, part: int = 1) -> Effort:
        """For the next run, which gets a part of what others get in pairs of threads."""
        comparisons = max(min(_COMPARISONS, self._left), _FEWEST)
        candidates = max(min(_CANDIDATES // part, self._candidates), _FEWEST)
        return Effort(comparisons, candidates=candidates)

    def spent(self, effort: Effort, unfinished: set[str]) -> None:
        """A run is over; whether it was cut short is added to what is said of the kernel."""
        METER.spend(_COMPARED * effort.made + _TRIED * effort.tried)
        self._left -= effort.made
        self._candidates -= effort.tried
        if effort.used_up:
            unfinished.add("too many accesses to compare")

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Runs whose effort is not counted."""
        kept = self._left, self._candidates
        yield
        self._left, self._candidates = kept
