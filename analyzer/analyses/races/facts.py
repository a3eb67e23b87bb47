"""What may be asked of the races of a kernel."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Self

from ..conflicts.facts import ConflictFacts, ConflictLaunch
from ..launch.kernel_size import most_to_run

if TYPE_CHECKING:
    from ...ir.memory import Space
    from ..block_execution.copies_in_flight import Unwaited
    from .block_races import BlockRaces
    from .race import Race

_SQUARE = (16, 16, 1)


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

        launches = map(_with_rows, self.launches)
        return tuple(map(BlockRaces, launches)) if self.runs_blocks else ()

    @property
    def shaped_races(self) -> tuple[BlockRaces, ...]:
        """Those of blocks whose shape is more than an example, unless doubts are wanted as well:
        for what is not looked for in blocks of other shapes.
        """
        wanted = self.options.doubted
        return tuple(each for each in self.block_races if wanted or each.launch.launch.trusted)

    @cached_property
    def spaces_with_ends(self) -> frozenset[Space]:
        """Where arrays of known sizes are: a run of a block can show nobody who leaves another."""
        touched = map(self.points_to.touched, self.accesses)
        items = {*self.kernel.objects, *self.module.objects}.union(*touched)
        return frozenset(item.space for item in items if item is not None and item.size is not None)

    @cached_property
    def races(self) -> tuple[Race, ...]:
        """The races inside a block, one for each pair of accesses, for all launches together."""
        from ..races.block_races import in_full, races, with_races_of_specimens

        found = races(self.sized)
        self.unfinished |= self.sized.unfinished
        found = with_races_of_specimens(self, found) if self.runs_blocks else found
        return tuple(map(in_full, found)) if self.options.doubted else found

    @cached_property
    def silenced_races(self) -> tuple[Race, ...]:
        """The conflicts that a doubt silences entirely; none unless they are asked for."""
        from ..races.block_races import silenced_races

        return silenced_races(self.sized, self.races) if self.options.doubted else ()

    @cached_property
    def unwaited_copies(self) -> tuple[Unwaited, ...]:
        """The reads of shared memory that an asynchronous copy may not have filled yet."""
        from ..races.async_copies import unwaited_copies

        copies = self.plan.copies_to_shared
        return unwaited_copies(each.runs for each in self.shaped_races) if copies else ()

    @cached_property
    def sized(self) -> Self:
        """The kernel as races are looked for in it: elements of no known type with a size."""
        from ..pointers.opaque_elements import with_elements

        # It is looked into a second time.
        twice = 2 * self.size <= most_to_run(self.options.kernel_size)
        kernel = with_elements(self) if twice else None
        return self if kernel is None else self.of_kernel(kernel)


class RaceLaunch(ConflictLaunch):
    """One launch of a kernel that may have races."""

    facts: RaceFacts


def _with_rows(launch: RaceLaunch) -> RaceLaunch:
    """The launch; where nothing says how many rows the block has, with a usual one as an example:
    a square where that is usual, so that the two threads of a race are in a block that is told.
    """
    if launch.launch.trusted:
        return launch
    usual = launch.launch.usual or (_SQUARE,)
    return launch.with_block(_SQUARE if _SQUARE in usual else usual[0])
