"""The least or the greatest, kept by a comparison and a store: `if (d < best[i]) best[i] = d`.

In: such a store at an index from memory, and the loads it was compared with. Out: whether several
threads are led to one place, as by the list of a node's neighbours: an index that was itself found
by an index from memory, or a value that comes from another place of the same array, as the distance
of the other end of an edge. And whether what was there serves nothing but the comparison.
A list that a thread's own index goes through (`best[list[i]]`) may name each place once, and is
not taken for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import (
    AccessKind,
    Compare,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
    unconverted,
)
from ..dataflow.reachability import reachable
from ..dataflow.slices import backward_slice
from ..dataflow.value_numbering import ValueNumbering
from ..pointers.provenance import loads_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.values import Value
    from .facts import ConflictFacts

_OWN = frozenset({Space.LOCAL, Space.PARAMETER, Space.CONSTANT})


def leads_many(store: MemoryAccess) -> bool:
    """Whether data leads several threads to the place of a store."""
    indices = list(loads_of(store.address))
    if any(_is_found(each) for each in indices):
        return True
    return any(_is_elsewhere(load, store) for load in loads_of(store.operands[1]))


def keeps_best(store: MemoryAccess, loads: frozenset[MemoryAccess]) -> bool:
    """Whether an update keeps the least or the greatest, by an operation or by a comparison."""
    value = unconverted(store.operands[1])
    if isinstance(value, Operation) and value.opcode in (Opcode.MIN, Opcode.MAX):
        return any(unconverted(each) in loads for each in value.operands)
    return bool(loads) and loads.isdisjoint(loads_of(value))


def is_only_compared(
    facts: ConflictFacts, store: MemoryAccess, loads: frozenset[MemoryAccess]
) -> bool:
    """Whether nobody makes anything of what was there but compare it, or sets it otherwise."""

    def onwards(value: Operation) -> Sequence[Operation]:
        return facts.users.get(value, ()) if unconverted(value) in loads else ()

    starts: list[Operation] = list(loads)
    users = reachable(starts, onwards)
    if not all(unconverted(user) in loads or isinstance(user, Compare) for user in users):
        return False
    return is_only_store(facts, store)


def is_only_store(facts: ConflictFacts, store: MemoryAccess) -> bool:
    """Whether no other store of the kernel writes the same address."""
    names = ValueNumbering()
    place = names.of(store.address)
    return not any(
        other is not store and other.kind is AccessKind.STORE and names.of(other.address) == place
        for other in facts.accesses
    )


def _is_found(index: MemoryAccess) -> bool:
    """Whether an index was itself found by data: an entry of a list that belongs to something."""
    return any(
        isinstance(each, MemoryAccess) and each.space not in _OWN
        for each in backward_slice(index.address)
    )


def _is_elsewhere(load: MemoryAccess, store: MemoryAccess) -> bool:
    """Whether a load finds another element of the array that is stored to."""
    names = ValueNumbering()
    bases = {_base(load.address), _base(store.address)}
    return len(bases) == 1 and names.of(load.address) != names.of(store.address)


def _base(address: Value) -> Value:
    """What an address counts from: its first operand, and so on."""
    while isinstance(address, Operation) and not isinstance(address, MemoryAccess | Phi):
        address = address.operands[0]
    return address
