"""What may be asked of the order that threads make among themselves by flags and locks."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

from ..memory_traffic.facts import TrafficFacts, TrafficLaunch

if TYPE_CHECKING:
    from .critical_sections import CriticalSections
    from .scopes import Pins
    from .spins import Spin


class OrderFacts(TrafficFacts):
    """What threads of one kernel wait for, other than barriers of their block: flags, locks, other
    blocks.
    """

    @property
    @abstractmethod
    def launches(self) -> tuple[OrderLaunch, ...]:
        """The launches the kernel is analysed for; at least one."""

    @cached_property
    def spins(self) -> tuple[Spin, ...]:
        """The loops that wait for something in global memory."""
        from ..inter_block.spins import spins

        return tuple(spins(self))

    @cached_property
    def block_pins(self) -> Pins:
        """Where it is known what blockIdx is."""
        from ..inter_block.scopes import block_pins

        return block_pins(self.flow.blocks)

    @cached_property
    def critical_sections(self) -> CriticalSections:
        """What locks and flags may put in order."""
        from ..inter_block.critical_sections import CriticalSections

        return CriticalSections(self)


class OrderLaunch(TrafficLaunch):
    """One launch of a kernel whose threads wait for each other by flags and locks."""

    facts: OrderFacts
