"""Addresses that are kept longer than what lies there.

In: a kernel's facts. Out: stores to global memory of the address of a variable in shared memory,
which lives as long as its block, or in local memory, which lives as long as its thread. Not
handled: addresses in members of classes that are stored as a whole, addresses as integers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess
    from .facts import PointerFacts

_POINTER_BITS = 64
_SHORT_LIVED = frozenset({Space.SHARED, Space.LOCAL})


@dataclass(frozen=True, slots=True)
class EscapingAddress:
    """A store of the address of something that does not live as long."""

    store: MemoryAccess
    item: MemoryObject


def escaping_addresses(facts: PointerFacts) -> Iterator[EscapingAddress]:
    """Stores of addresses in shared or local memory to global memory."""
    points_to = facts.points_to
    for access in facts.accesses:
        if access.kind is not AccessKind.STORE or points_to.spaces(access) != {Space.GLOBAL}:
            continue
        for value in access.operands[1:]:
            if (value.type.bits or 0) < _POINTER_BITS:
                continue  # an address within shared memory, as a number
            targets = points_to.of(value)
            items = [each for each in targets if each is not None]
            if (
                items
                and len(items) == len(targets)
                and all(each.space in _SHORT_LIVED for each in items)
            ):
                yield EscapingAddress(access, items[0])
