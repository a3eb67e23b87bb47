"""A barrier, a decision before it by which threads differ, and two of them that it parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....source.records import dataclass

if TYPE_CHECKING:
    from ....ir.operations import Barrier
    from ...conflicts.facts import ConflictFacts, ConflictLaunch
    from ...conflicts.split_blocks import Witness
    from ...dataflow.control_flow import ControlEdge
    from ...warp_evaluation.uniformity import Uniformity


@dataclass(frozen=True, slots=True)
class SplitCandidate:
    """What doubts judge: a decision that may split a block before a barrier."""

    launch: ConflictLaunch
    barrier: Barrier
    edge: ControlEdge
    level: Uniformity
    witness: Witness | None  # found by numbers or by data
    comes: bool = True  # with these numbers its thread comes to the barrier, as far as is known

    @property
    def facts(self) -> ConflictFacts:
        """The kernel."""
        return self.launch.facts

    @property
    def comes_otherwise(self) -> bool:
        """Whether the threads that do not take the edge may come to the barrier all the same."""
        return self.facts.alternative_paths.may_come(self.edge, self.barrier.block)


@dataclass(frozen=True, slots=True)
class ExitCandidate:
    """What doubts judge: a decision by which a part of a block leaves the kernel before a
    barrier.
    """

    launch: ConflictLaunch
    barrier: Barrier
    edge: ControlEdge
    level: Uniformity
    witness: Witness
    comes: bool = True  # with these numbers its thread comes to the barrier, as far as is known

    @property
    def facts(self) -> ConflictFacts:
        """The kernel."""
        return self.launch.facts
