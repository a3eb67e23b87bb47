"""The least solution of equations that look at each other: the one solver that all analyses share.

Problem: facts about nodes (operations, blocks) that follow from facts about others, in cycles, too.
Algorithm: chaotic iteration over a worklist in a fixed order, a sweep at a time (Kildall, "A
Unified Approach to Global Program Optimization", 1973; Nielson, Nielson, Hankin, "Principles of
Program Analysis", 1999, section 6.1). In: the nodes in the order in which facts mostly flow; a
transfer function that brings one node up to date and returns the nodes that looked at what it
changed, none when nothing changed. Out: nothing, the facts are the caller's. It ends where facts
only grow, in a lattice without endless chains; the caller sees to both.
Example: `unsettled_stores.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..launch.allowance import METER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Node = TypeVar("Node")

_STEPS = 16  # that bringing one node up to date takes


def solve(
    nodes: Sequence[Node],
    transfer: Callable[[Node], Iterable[Node]],
    stale: set[Node] | None = None,
) -> None:
    """Applies a transfer function to the nodes of a graph until none is stale: a fixpoint; all are
    at first, unless a set is given. The transfer function may add to that set as well.
    """
    stale = set(nodes) if stale is None else stale
    while stale:
        for node in nodes:
            if node in stale:
                METER.spend(_STEPS)
                stale.discard(node)
                stale.update(transfer(node))
