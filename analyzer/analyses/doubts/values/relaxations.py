"""Elements that are replaced by the least around them until nothing changes: labels, distances.

In: two threads, one of which stores what the other reads. Out: whether this is a step of chaotic
relaxation (D. Chazan, W. Miranker, "Chaotic relaxation", 1969): what is stored is the least, or the
greatest, of values that are read, only where that is another one than stands there, and a flag
tells that something has changed. A thread that reads the old value finds the new one the next time
round, and the last round, in which nothing is stored, has no race. So the order of the threads
changes how often it goes round, and not what comes out.
Example: `if (least != label[t]) { label[t] = least; changed = true; }` for the labels of regions.
Not handled: a least that is found by comparisons; whether somebody asks the flag.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import AccessKind, Compare, MemoryAccess, Opcode, Operation, Phi, unconverted
from ....ir.values import Constant
from ...dataflow.joined_conditions import joined_conditions
from ...dataflow.reachability import reachable
from ...dataflow.slices import forward_slice
from ...dataflow.value_numbering import alike
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ....ir.block import Block
    from ....ir.values import Value
    from ...conflicts.facts import ConflictFacts
    from ...dataflow.control_flow import ControlEdge
    from ..question.candidates import BlockCandidate

_BEST = (Opcode.MIN, Opcode.MAX)


def _is_relaxed(candidate: BlockCandidate) -> bool:
    load, store = sorted(candidate.accesses, key=lambda each: each.kind is AccessKind.STORE)
    if (load.kind, store.kind) != (AccessKind.LOAD, AccessKind.STORE):
        return False
    stored = unconverted(store.operands[1])
    if load not in _compared(stored):
        return False
    facts = candidate.facts
    edges = facts.flow.controlling_edges(store.block)
    return any(_asks_for_change(edge, stored, store) and _is_told(facts, edge) for edge in edges)


def _compared(value: Value) -> set[Value]:
    """The loads of which a value is the least, or the greatest; empty if it is made otherwise."""
    loads: set[Value] = set()
    kinds: set[Opcode] = set()
    for each in reachable([value], _chosen_from):
        if isinstance(each, MemoryAccess) and each.kind is AccessKind.LOAD:
            loads.add(each)
        elif isinstance(each, Operation) and (isinstance(each, Phi) or each.opcode in _BEST):
            kinds.add(each.opcode)
        else:
            return set()
    return loads if len(kinds & {*_BEST}) == 1 else set()


def _chosen_from(value: Value) -> Iterable[Value]:
    """What a value is the least or the greatest of; nothing for what is loaded."""
    is_made = isinstance(value, Operation) and not isinstance(value, MemoryAccess)
    return map(unconverted, value.operands) if is_made else ()


def _asks_for_change(edge: ControlEdge, stored: Value, store: MemoryAccess) -> bool:
    """Whether an edge is taken where a value differs from what stands where it is stored."""
    if edge.condition is None:
        return False
    for each, holds in joined_conditions(*edge.condition):
        if isinstance(each, Compare) and (each.opcode, bool(holds)) in (
            (Opcode.NE, True),
            (Opcode.EQ, False),
        ):
            operands = [unconverted(part) for part in each.operands]
            there = [part for part in operands if part is not stored]
            if len(there) == 1 and _stands_at(there[0], store):
                return True
    return False


def _stands_at(value: Value, store: MemoryAccess) -> bool:
    """Whether a value is loaded from where a store goes."""
    loaded = isinstance(value, MemoryAccess) and value.kind is AccessKind.LOAD
    return loaded and alike(value.operands[0], store.operands[0])


def _is_told(facts: ConflictFacts, edge: ControlEdge) -> bool:
    """Whether it is noted that an edge was taken, in memory or in a variable that has a part in
    what is stored or decided later.
    """
    behind = facts.flow.decided_by([edge.branch])
    for block in facts.flow.blocks:
        for each in block.operations:
            if block in behind and isinstance(each, MemoryAccess) and _stores_constant(each):
                return True
            if isinstance(each, Phi) and _is_set(each, behind):
                used = forward_slice([each], facts.users)
                if any(not isinstance(user, Phi) for user in used):
                    return True
    return False


def _stores_constant(access: MemoryAccess) -> bool:
    return access.kind is AccessKind.STORE and isinstance(unconverted(access.operands[1]), Constant)


def _is_set(phi: Phi, behind: set[Block]) -> bool:
    """Whether a variable is a constant where control comes from some blocks."""
    pairs = zip(phi.operands, phi.block.predecessors, strict=False)
    return any(isinstance(value, Constant) and block in behind for value, block in pairs)


DOUBT = Doubt(
    "chaotic-relaxation",
    Effect.POSSIBLE,
    "each change to a least or greatest value is noted: done until none is, order may not matter",
    _is_relaxed,
)
