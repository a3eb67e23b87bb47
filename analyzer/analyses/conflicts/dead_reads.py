"""Reads by threads that make nothing of them.

In: two threads in conflict, of one block, and a run of it. Out: whether one of them reads in vain,
and hides nobody who does not: `old = *p; if (lane == 0) *p = old + n;` reads for lane 0, whoever
else executes the load. What is not live in a thread (`live_values.py`) that never takes the ways it
is known not to take (`known_decisions.py`) is read in vain.
In: a load. Out: the ways that a thread goes to take the value: `v = a[i]; if (i < n) b[i] = v;`.
Not handled: values that pass through memory, decisions of a thread that depend on iterations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import EFFECTS, AccessKind, Phi
from ..block_execution.thread_vectors import flags
from ..dataflow.reachability import reachable
from ..dataflow.value_numbering import alike

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.operations import MemoryAccess, Operation
    from ..block_execution.access_events import Conflict, ThreadAccess
    from ..block_execution.thread_vectors import Threads
    from ..dataflow.control_flow import ControlEdge
    from .facts import ConflictFacts
    from .known_decisions import KnownDecisions


def is_dead_read(facts: ConflictFacts, conflict: Conflict, decisions: KnownDecisions) -> bool:
    """Whether nobody who uses what one thread in a conflict reads, of the block that is run, reads
    what another thread writes.
    """
    return any(
        _reads_in_vain(facts, read, write, decisions)
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
    facts: ConflictFacts,
    read: ThreadAccess,
    write: ThreadAccess,
    decisions: KnownDecisions,
) -> bool:
    load = read.access
    if load.kind is not AccessKind.LOAD or _is_used_at_once(facts, load):
        return False
    users = writers = 0
    for untaken, threads in decisions.groups.items():
        part = facts.live_values.without(untaken)
        users |= threads if load in part.values else 0
        writers |= threads if write.access.block in part.blocks else 0
    if not users or users == writers == 1 << 8 * write.thread:
        return True
    return not flags(users, decisions.count)[read.thread] and _replace_what_they_read(
        read, write, users
    )


def _replace_what_they_read(read: ThreadAccess, write: ThreadAccess, users: Threads) -> bool:
    """Whether those who use what they read store there in the same iteration: others who do so are
    in conflict with their stores as well.
    """
    events = read.event, write.event
    if events[0].iterations != events[1].iterations:
        return False
    reading, writing = (each.must | each.may for each in events)
    return not users & reading & ~writing and alike(read.access.address, write.access.address)


def _is_used_at_once(facts: ConflictFacts, load: MemoryAccess) -> bool:
    """Whether whoever executes a load acts on something made of it in the same block."""

    def here(value: Operation) -> Iterator[Operation]:
        """What takes a value in the same block."""
        return (each for each in facts.users.get(value, ()) if each.block is load.block)

    starts: list[Operation] = [load]
    return any(map(facts.live_values.acts, reachable(starts, here)))


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
