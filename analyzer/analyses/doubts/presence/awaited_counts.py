"""Counts that a loop waits for: of who is done, which nobody takes beyond the number waited for.

In: two threads of a block at a count that one reads and the other adds to after. Out: whether a
loop around the addition goes on until the count is there, and does not add in each iteration. What
has to be done before adding says how often that is, and not the count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import Branch, unconverted
from ...conflicts.race_kinds import RaceKind
from ...pointers.provenance import comparisons
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.operations import MemoryAccess
    from ...dataflow.control_flow import ControlFlow, Loop
    from ..question.candidates import BlockCandidate


def _is_waited_for(candidate: BlockCandidate) -> bool:
    flow = candidate.facts.flow
    one, other = candidate.accesses
    read, count = (one, other) if other.writes else (other, one)
    return any(
        not flow.is_in_every_iteration(count.block, loop) and _ends(flow, loop, read)
        for loop in flow.loop_nest(count.block)
    )


def _ends(flow: ControlFlow, loop: Loop, read: MemoryAccess) -> bool:
    """Whether a comparison of what was read decides if there is another iteration."""
    branches = (each.terminator for each in flow.exit_decisions(loop))
    return any(
        read in map(unconverted, part.operands)
        for branch in branches
        if isinstance(branch, Branch)
        for part in comparisons(branch.condition)
    )


DOUBT = Doubt(
    "awaited-count",
    Effect.POSSIBLE,
    "a loop goes on until the count is reached, and may wait for all who are to be counted",
    _is_waited_for,
    frozenset({RaceKind.CHECK}),
)
