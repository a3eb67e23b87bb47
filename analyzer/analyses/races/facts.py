"""What may be asked of the races of a kernel."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

from ..conflicts.facts import ConflictFacts, ConflictLaunch
from ..launch.kernel_size import most_to_run

if TYPE_CHECKING:
    from .block_races import BlockRaces
    from .race_kinds import Race


class RaceFacts(ConflictFacts):
    """The races of one kernel."""

    @property
    @abstractmethod
    def launches(self) -> tuple[RaceLaunch, ...]:
        """The launches the kernel is analysed for; at least one."""

    @cached_property
    def block_races(self) -> tuple[BlockRaces, ...]:
        """One block of each launch, run as a whole; none where the kernel is too large."""
        from ..races.block_races import BlockRaces

        return tuple(map(BlockRaces, self.launches)) if self.runs_blocks else ()

    @cached_property
    def races(self) -> tuple[Race, ...]:
        """The races inside a block, one for each pair of accesses, for all launches together."""
        from ..pointers.opaque_elements import with_elements
        from ..races.block_races import races

        # It is looked into a second time.
        twice = 2 * self.size <= most_to_run(self.options.kernel_size)
        kernel = with_elements(self) if twice else None
        if kernel is None:
            return races(self)
        sized = self.of_kernel(kernel)
        found = races(sized)
        self.unfinished |= sized.unfinished
        return found


class RaceLaunch(ConflictLaunch):
    """One launch of a kernel that may have races."""

    facts: RaceFacts
