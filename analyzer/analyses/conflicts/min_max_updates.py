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
from ..dataflow.affine import affine
from ..dataflow.reachability import reachable
from ..dataflow.slices import backward_slice
from ..dataflow.value_numbering import ValueNumbering
from ..pointers.provenance import loads_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.values import Value
    from .facts import ConflictFacts

_CHOICES = frozenset({Opcode.CONVERT, Opcode.MIN, Opcode.MAX, Opcode.SELECT})
_OWN = frozenset({Space.LOCAL, Space.PARAMETER, Space.CONSTANT})


def leads_many(store: MemoryAccess) -> bool:
    """Whether data leads several threads to the place that an update stores to."""
    indices = list(loads_of(store.address))
    if any(_is_found(each) for each in indices):
        return True
    return any(_is_elsewhere(load, store) for load in loads_of(store.operands[1]))


def keeps_best(store: MemoryAccess, loads: frozenset[MemoryAccess]) -> bool:
    """Whether an update of memory keeps the least or the greatest, by an operation or by a
    comparison.
    """
    value = unconverted(store.operands[1])
    if isinstance(value, Operation) and value.opcode in (Opcode.MIN, Opcode.MAX):
        return any(unconverted(each) in loads for each in value.operands)
    return bool(loads) and loads.isdisjoint(loads_of(value))


def is_only_compared(
    facts: ConflictFacts, store: MemoryAccess, loads: frozenset[MemoryAccess]
) -> bool:
    """Whether what stood where a minimum or maximum is kept is only compared, or put back, and
    nobody else sets it.
    """
    names = ValueNumbering()
    place = names.of(store.address)
    read: set[Operation] = {
        other
        for other in facts.accesses
        if other.kind is AccessKind.LOAD and names.of(other.address) == place
    }

    def passes_on(value: Operation) -> bool:
        return value in read or isinstance(value, Phi) or value.opcode in _CHOICES

    def onwards(value: Operation) -> Sequence[Operation]:
        return facts.users.get(value, ()) if passes_on(value) else ()

    return is_only_store(facts, store) and all(
        each is store or passes_on(each) or isinstance(each, Compare)
        for each in reachable(read | loads, onwards)
    )


def is_only_store(facts: ConflictFacts, store: MemoryAccess) -> bool:
    """Whether no other store of the kernel writes where an update keeps a minimum or maximum."""
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
    """Whether a load finds another element of the array that is stored to, and not merely its
    neighbour, as where a thread sorts a row of its own.
    """
    names = ValueNumbering()
    if _base(load.address) is not _base(store.address):
        return False
    if names.of(load.address) == names.of(store.address):
        return False
    return affine(load.address).factors != affine(store.address).factors


def _base(address: Value) -> Value:
    """What an address counts from: its first operand, and so on."""
    while isinstance(address, Operation) and not isinstance(address, MemoryAccess | Phi):
        address = address.operands[0]
    return address
