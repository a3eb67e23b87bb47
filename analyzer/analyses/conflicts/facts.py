"""What may be asked of the accesses of a kernel that can conflict."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

from ..inter_block.facts import OrderFacts, OrderLaunch

if TYPE_CHECKING:
    from ..pointers.live_values import LiveValues
    from .equal_formulas import EqualFormulas
    from .updates import Updates


class ConflictFacts(OrderFacts):
    """The accesses of one kernel that can conflict: which stores go on from what stands there."""

    @property
    @abstractmethod
    def launches(self) -> tuple[ConflictLaunch, ...]:
        """The launches the kernel is analysed for; at least one."""

    @cached_property
    def updates(self) -> Updates:
        """The stores that write back what they have loaded."""
        from .updates import updates

        return updates(self)

    @cached_property
    def live_values(self) -> LiveValues:
        """What is live in threads that do not take some ways."""
        from ..pointers.live_values import LiveValues

        return LiveValues(self)


class ConflictLaunch(OrderLaunch):
    """One launch of a kernel whose threads may conflict."""

    facts: ConflictFacts

    @cached_property
    def equal_formulas(self) -> EqualFormulas:
        """What two threads compute in the same way."""
        from .equal_formulas import EqualFormulas

        return EqualFormulas(self)
