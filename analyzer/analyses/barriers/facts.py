"""What may be asked of a kernel's barriers."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from ..races.facts import RaceFacts, RaceLaunch

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ...ir.block import Block
    from ...ir.values import Value
    from ..block_execution.run_context import Outcome
    from ..conflicts.split_blocks import Split, Witness
    from ..dataflow.control_flow import ControlEdge
    from ..launch.assumed_launch import AssumedLaunch


class BarrierFacts(RaceFacts):
    """What may be asked of the barriers of one kernel."""

    @property
    @abstractmethod
    def launches(self) -> tuple[BarrierLaunch, ...]:
        """The launches the kernel is analysed for; at least one."""


class BarrierLaunch(RaceLaunch):
    """One launch of a kernel, and the decisions that part its threads before a barrier."""

    facts: BarrierFacts

    def __init__(self, facts: BarrierFacts, launch: AssumedLaunch) -> None:
        super().__init__(facts, launch)
        self.splits: dict[ControlEdge, Split] = {}
        self.data_splits: dict[ControlEdge, Witness | None] = {}
        #: Runs with the numbers of witnesses, by these, and what else was asked for.
        self.replays: dict[Hashable, tuple[Outcome, frozenset[Value | Block]]] = {}
