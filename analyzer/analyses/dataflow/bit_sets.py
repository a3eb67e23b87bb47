"""Sets with one bit for each member: `set[v >> 5] |= 1u << (v & 31)`.

In: an update and the loads of its place. Out: whether it changes one bit of a word, which bit and
which word being found by the same data: members that differ share words, though each comes once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import MemoryAccess, Opcode, Operation, unconverted
from ...ir.values import whole_number
from .slices import backward_slice, loads_in
from .value_numbering import ValueNumbering

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...ir.values import Value

_BITWISE = frozenset({Opcode.OR, Opcode.AND, Opcode.XOR})
_DIVIDING = frozenset({Opcode.SHR, Opcode.DIV})


def sets_bits(store: MemoryAccess, loads: frozenset[MemoryAccess]) -> bool:
    """Whether a store sets, clears or turns a bit of the word it has loaded, which several members
    share.
    """
    value = unconverted(store.operands[1])
    if not isinstance(value, Operation) or value.opcode not in _BITWISE:
        return False
    one, other = map(unconverted, value.operands)
    if (one in loads) is (other in loads):
        return False
    names = ValueNumbering()
    of_bit = {
        name
        for place in _places_of_bits(other if one in loads else one)
        for name in _data(place, names)
    }
    return any(
        name in of_bit
        for part in backward_slice(store.address)
        if isinstance(part, Operation) and part.opcode in _DIVIDING
        for name in _data(part.operands[0], names)
    )


def _places_of_bits(mask: Value) -> Iterator[Value]:
    """How far a constant is shifted: `n` for `1 << n` and for all but that bit."""
    if isinstance(mask, Operation) and mask.opcode in (Opcode.NOT, Opcode.XOR):
        mask = unconverted(mask.operands[0])
    if isinstance(mask, Operation) and mask.opcode is Opcode.SHL:
        constant, places = mask.operands
        if whole_number(unconverted(constant)) is not None:
            yield places


def _data(value: Value, names: ValueNumbering) -> Iterator[Hashable]:
    """The places that a value is loaded from."""
    return (names.of(each.address) for each in loads_in(value))
