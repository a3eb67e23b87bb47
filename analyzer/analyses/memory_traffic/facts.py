"""What may be asked of the cost of a kernel's accesses to memory."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from ..block_execution.facts import BlockFacts, BlockLaunch

if TYPE_CHECKING:
    from typing import Self

    from ...ir.operations import MemoryAccess
    from ..launch.assumed_launch import AssumedLaunch
    from ..warp_evaluation.lane_groups import GroupEvaluator
    from .example_launches import ExampleLaunches
    from .global_accesses import GlobalAccess
    from .shared_accesses import SharedAccess


class TrafficFacts(BlockFacts):
    """What the accesses of one kernel cost, each for the launch that it fares worst with."""

    @property
    @abstractmethod
    def launches(self) -> tuple[TrafficLaunch, ...]:
        """The launches the kernel is analysed for; at least one."""

    @cached_property
    def shared_accesses(self) -> tuple[SharedAccess, ...]:
        """Every access to shared memory, each for the launch that it fares worst with."""
        from ..memory_traffic.shared_accesses import worst_launch

        return tuple(
            map(worst_launch, zip(*(x.shared_accesses for x in self.launches), strict=True))
        )

    @cached_property
    def global_accesses(self) -> tuple[GlobalAccess, ...]:
        """Every access to global memory, each for the launch that it fares worst with."""
        from ..memory_traffic.global_accesses import worst_launch

        return tuple(
            map(worst_launch, zip(*(x.global_accesses for x in self.launches), strict=True))
        )

    def of_launch(self, launch: AssumedLaunch) -> TrafficLaunch:
        """The facts of one of the launches."""
        return next(item for item in self.launches if item.launch is launch)


class TrafficLaunch(BlockLaunch):
    """One launch of a kernel, and what its accesses cost in it."""

    facts: TrafficFacts

    @cached_property
    def variants(self) -> tuple[Self, ...]:
        """The launch with each usual block and size of elements, where nobody states them."""
        blocks = [
            replace(self.launch, block=shape, trusted=True, guessed=True, usual=())
            for shape in self.launch.usual
        ]
        launches = [type(self)(self.facts, launch) for launch in blocks or [self.launch]]
        if self.launch.elements:
            return tuple(
                launch.of_element(size) for launch in launches for size in self.launch.elements
            )
        return tuple(launches) if blocks else ()

    def variants_of(self, access: MemoryAccess, *, briefly: bool = False) -> tuple[Self, ...]:
        """The variants in which an access may cost something else: of those of one block the first
        does for an access that no size of elements moves or widens.
        """
        variants = self.brief_variants if briefly else self.variants
        places, sizes = self.facts.sized_places, self.launch.elements
        if not sizes or places is None or access.width is None or access.address in places:
            return variants
        return variants[:: len(sizes)]

    @cached_property
    def brief_variants(self) -> tuple[Self, ...]:
        """The same, looked at briefly."""
        return tuple(each.briefly() for each in self.variants)

    def groups(self, warp: int) -> GroupEvaluator:
        """Which lanes of a warp keep known distances where data leads them; kept."""
        from ..warp_evaluation.lane_groups import GroupEvaluator

        if warp not in self._groups:
            self._groups[warp] = GroupEvaluator(self, warp)
        return self._groups[warp]

    @cached_property
    def _groups(self) -> dict[int, GroupEvaluator]:
        return {}

    @cached_property
    def examples(self) -> ExampleLaunches:
        """The launch with examples for what it leaves open."""
        from ..memory_traffic.example_launches import ExampleLaunches

        return ExampleLaunches(self)

    @cached_property
    def shared_accesses(self) -> tuple[SharedAccess, ...]:
        """Every access to shared memory with what the banks make of it."""
        from ..memory_traffic.shared_accesses import evaluate_shared_accesses

        return evaluate_shared_accesses(self)

    @cached_property
    def global_accesses(self) -> tuple[GlobalAccess, ...]:
        """Every access to global memory with the sectors it moves."""
        from ..memory_traffic.global_accesses import evaluate_global_accesses

        return evaluate_global_accesses(self)
