"""Whether threads that leave before a barrier leave work undone that the others need.

In: a decision by which some threads of a block leave, and the barrier after it. Out: whether the
others may store something in shared memory on their way to the barrier that is loaded after it: the
threads that left have not stored their part. Arrays are taken as a whole: which elements are loaded
is not looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ..dataflow.paths import can_reach

if TYPE_CHECKING:
    from .barrier_divergence import DivergentBarrier
    from .facts import BarrierFacts


def skips_shared_work(facts: BarrierFacts, exit: DivergentBarrier) -> bool:
    """Whether shared memory carries something over the barrier that was stored after the exit."""
    branch, barrier = exit.edge.branch.terminator, exit.barrier
    flow, spaces = facts.flow, facts.points_to.spaces
    shared = [access for access in facts.accesses if Space.SHARED in spaces(access)]
    stored = {
        target
        for access in shared
        if access.writes
        if can_reach(flow, branch, access) and can_reach(flow, access, barrier)
        for target in facts.points_to.of(access.address)
    }
    return any(
        access.reads
        and can_reach(flow, barrier, access)
        and (None in stored or not stored.isdisjoint(facts.points_to.of(access.address)))
        for access in shared
    )
