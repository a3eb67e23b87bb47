"""Flags that end a search early: `for (...; i < n && ok; ...) if (in[i] > m) { ok = 0; break; }`.

In: a read, and a write that meets it. Out: whether the value that is read decides about nothing but
ways that leave memory and variables alike. So it is where all that is made of it are branches, and
where what these decide about loads, computes what nobody takes elsewhere, and stores at most the
constant that the other thread writes, to the same place: who reads that constant finds done what it
may leave out, and who does not comes as if before the other thread. A loop that waits for the value
alone is no search, as a compiler may take the read out of it. Paths are those of the graph of
control (`decided_by`). Not handled: what a search counts or keeps, and places that its iterations
choose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import (
    EFFECTS,
    AccessKind,
    Branch,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
)
from ....ir.values import Constant
from ...dataflow.joined_conditions import joined_conditions
from ...dataflow.reachability import reachable
from ...dataflow.slices import backward_slice
from ...dataflow.value_numbering import alike
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from collections.abc import Collection

    from ....ir.block import Block
    from ....ir.values import Value
    from ...conflicts.facts import ConflictFacts
    from ...dataflow.control_flow import Loop
    from ..question.candidates import AnyCandidate

_DECIDING = frozenset({Opcode.BRANCH, Opcode.SWITCH})
_MOVING = _DECIDING | {Opcode.JUMP}


def _ends_a_search(candidate: AnyCandidate) -> bool:
    first, second = candidate.accesses
    read, written = (first, second) if first.kind is AccessKind.LOAD else (second, first)
    if read.kind is not AccessKind.LOAD or not written.writes:
        return False
    facts = candidate.facts
    users = facts.users
    starts: list[Operation] = [*users.get(read, ())]
    made = list(reachable(starts, lambda each: users.get(each, ())))
    deciding = {each.block for each in made if each.opcode in _DECIDING}
    if any(each.opcode in EFFECTS and each.opcode not in _DECIDING for each in made):
        return False
    decided = facts.flow.decided_by(deciding)
    return (
        _may_end_otherwise(facts, deciding)
        and _does_nothing_else(decided, read, written)
        and _keeps_nothing(facts, decided, deciding, made)
    )


def _may_end_otherwise(facts: ConflictFacts, deciding: Collection[Block]) -> bool:
    """Whether each loop that the value ends comes to an end without it, and there is one."""
    ended = [loop for loop in facts.flow.loops if not loop.leaving.isdisjoint(deciding)]
    return bool(ended) and all(map(_comes_to_an_end, ended))


def _comes_to_an_end(loop: Loop) -> bool:
    """Whether a test that keeps control in a loop goes by what the iterations change, and by
    nothing that is read there.
    """
    for last in (block.terminator for block in loop.exits):
        if not isinstance(last, Branch):
            continue
        for test, _ in joined_conditions(last.condition, last.then in loop.blocks):
            parts = set(backward_slice(test))
            loads = any(isinstance(e, MemoryAccess) and e.block in loop.blocks for e in parts)
            if not loads and not parts.isdisjoint(loop.header.phis):
                return True
    return False


def _does_nothing_else(
    decided: Collection[Block], read: MemoryAccess, written: MemoryAccess
) -> bool:
    """Whether all that is done in some blocks is to store what is written, where it is read."""
    for operation in (each for block in decided for each in block.operations):
        if isinstance(operation, MemoryAccess):
            if operation.kind is not AccessKind.LOAD and not (
                _stores_the_same(operation, written)
                and alike(operation.address, read.address)
                and _is_one_place(operation.address, decided)
            ):
                return False
        elif operation.opcode in EFFECTS and operation.opcode not in _MOVING:
            return False
    return True


def _stores_the_same(store: MemoryAccess, written: MemoryAccess) -> bool:
    if not store.kind is written.kind is AccessKind.STORE:
        return False
    one, other = store.operands[1], written.operands[1]
    same = isinstance(one, Constant) and isinstance(other, Constant) and one.value == other.value
    return same and store.width == written.width


def _is_one_place(address: Value, decided: Collection[Block]) -> bool:
    """Whether an address stays the same from one of some blocks to the other."""
    return not any(
        isinstance(each, Phi | MemoryAccess) and each.block in decided
        for each in backward_slice(address)
    )


def _keeps_nothing(
    facts: ConflictFacts,
    decided: Collection[Block],
    deciding: Collection[Block],
    made: Collection[Operation],
) -> bool:
    """Whether no value of some blocks is taken elsewhere, and no phi tells how control came."""
    ways, known = {*decided, *deciding}, set(made)
    for block in facts.flow.blocks:
        if block in decided:
            continue
        joins = not ways.isdisjoint(block.predecessors)
        if joins and any(phi not in known for phi in block.phis):
            return False
        operands = (operand for each in block.operations for operand in each.operands)
        if any(isinstance(each, Operation) and each.block in decided for each in operands):
            return False
    return True


DOUBT = Doubt(
    "ended-search",
    Effect.BENIGN,
    "the value read only ends a search early, which leaves the same behind as going on with it",
    _ends_a_search,
)
