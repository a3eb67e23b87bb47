"""The arrays of a kernel in which a block may find whole numbers that it has put there itself.

In: a kernel's accesses, and the loads whose value a run needs. Out: the stores of whole numbers to
arrays all of whose elements are accessed as one type. `stored_numbers.py` follows them in a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, MemoryAccess
from ...ir.types import Kind

if TYPE_CHECKING:
    from ...ir.memory import MemoryObject
    from ...ir.operations import Operation
    from ...ir.types import Type
    from ..warp_evaluation.facts import WarpFacts

_SHARED = frozenset({Space.SHARED, Space.GLOBAL})


class NumberArrays:
    """The arrays of a kernel that hold whole numbers which a run of a block stores and
    loads again.
    """

    def __init__(self, facts: WarpFacts, needed: frozenset[Operation]) -> None:
        self.points_to = points_to = facts.points_to
        read: set[MemoryObject] = set()
        kinds: dict[MemoryObject, set[tuple[int | None, Type]]] = {}
        stores: list[tuple[MemoryAccess, MemoryObject]] = []
        for access in facts.accesses:
            for item in points_to.touched(access):
                if item is not None:
                    kinds.setdefault(item, set()).add((access.width, _type(access)))
            item = points_to.object_of(access)
            if item is None or item.space not in _SHARED or access.volatile or access.scope:
                continue
            if not access.width:
                continue
            if access.kind is AccessKind.LOAD and access in needed:
                read.add(item)
            elif _is_number(access):
                stores.append((access, item))
        alike = {item for item in read if len(kinds[item]) == 1}
        self.stores = [(store, item) for store, item in stores if item in alike]


def _type(access: MemoryAccess) -> Type:
    return access.type if access.kind is AccessKind.LOAD else access.operands[-1].type


def _is_number(access: MemoryAccess) -> bool:
    """Whether a whole number is stored."""
    return access.kind is AccessKind.STORE and access.operands[1].type.kind is Kind.INTEGER
