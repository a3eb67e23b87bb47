"""What may be asked of the blocks of a kernel when they are run."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

from ..warp_evaluation.facts import WarpFacts, WarpLaunch

if TYPE_CHECKING:
    from .run_plan import RunPlan


class BlockFacts(WarpFacts):
    """What runs of the blocks of one kernel share."""

    @property
    @abstractmethod
    def launches(self) -> tuple[BlockLaunch, ...]:
        """The launches the kernel is analysed for; at least one."""

    @cached_property
    def plan(self) -> RunPlan:
        """How blocks are run: the kernel's operations in the order of a run, made once for all."""
        from ..block_execution.run_plan import RunPlan

        return RunPlan(self)


class BlockLaunch(WarpLaunch):
    """One launch of a kernel whose blocks are run."""

    facts: BlockFacts
