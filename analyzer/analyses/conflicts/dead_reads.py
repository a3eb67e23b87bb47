"""Reads by threads that make nothing of them.

In: two threads in conflict, of one block. Out: whether one of them only reads, for an update that
it does not make: `old = *p; if (lane == 0) *p = old + n;` reads for lane 0, whoever else executes
the load. Everything that takes the value stands behind a decision that leads to the store.
In: a load. Out: the ways that a thread goes to take the value: `v = a[i]; if (i < n) b[i] = v;`.
Not handled: values that pass through memory, updates that the thread makes in another iteration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import EFFECTS, AccessKind, Phi
from ..block_execution.thread_vectors import flags
from ..dataflow.reachability import reachable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.operations import MemoryAccess, Operation
    from ..block_execution.access_events import Conflict, ThreadAccess
    from ..dataflow.control_flow import ControlEdge
    from .facts import ConflictFacts


def is_dead_read(facts: ConflictFacts, conflict: Conflict, count: int) -> bool:
    """Whether a thread in a conflict reads in vain what another one of the `count` of its block
    updates.
    """
    return any(
        _reads_in_vain(facts, read, write, count)
        for read, write in (
            (conflict.first, conflict.second),
            (conflict.second, conflict.first),
        )
    )


def paths_of_takers(facts: ConflictFacts, load: MemoryAccess) -> frozenset[ControlEdge]:
    """The edges after a load on which alone its value is used: a thread that takes none of them
    reads in vain.
    """
    before = facts.flow.controlling_edges(load.block)
    ways = {
        edge
        for user in facts.users.get(load, ())
        for edge in facts.flow.controlling_edges(user.block)
    }.difference(before)
    return frozenset(edge for edge in ways if _serves(facts, load, edge))


def only_reads(facts: ConflictFacts, read: ThreadAccess, write: ThreadAccess, count: int) -> bool:
    """Whether one of two conflicting threads loads for an update whose store the other one makes
    without it.
    """
    if read.access.kind is not AccessKind.LOAD:
        return False
    if read.access not in facts.updates.get(write.access, ()):
        return False
    return not flags(write.event.must | write.event.may, count)[read.thread]


def _reads_in_vain(
    facts: ConflictFacts, read: ThreadAccess, write: ThreadAccess, count: int
) -> bool:
    return only_reads(facts, read, write, count) and _is_for(facts, read.access, write.access)


def _is_for(facts: ConflictFacts, load: MemoryAccess, store: MemoryAccess) -> bool:
    """Whether a load serves nothing but what stands behind a decision that leads to a store."""
    flow = facts.flow
    before = set(flow.controlling_edges(load.block))
    deciding = [each for each in flow.controlling_edges(store.block) if each not in before]
    return any(_serves(facts, load, edge) for edge in deciding)


def _serves(facts: ConflictFacts, load: MemoryAccess, edge: ControlEdge) -> bool:

    def others(value: Operation) -> Iterator[Operation]:
        """What takes a value elsewhere."""
        for user in facts.users.get(value, ()):
            if not _stands_behind(facts, user, value, edge):
                yield user

    starts: list[Operation] = [load]
    return all(each is load or each.opcode not in EFFECTS for each in reachable(starts, others))


def _stands_behind(
    facts: ConflictFacts, user: Operation, value: Operation, edge: ControlEdge
) -> bool:
    """Whether only threads on one way of a decision take the value."""
    places: list[Block] = [user.block]
    if isinstance(user, Phi):
        ways = zip(user.operands, user.block.predecessors, strict=True)
        places = [block for operand, block in ways if operand is value]
    return all(edge in facts.flow.controlling_edges(place) for place in places)
