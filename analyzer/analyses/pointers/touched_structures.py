"""How much of structures in arrays the kernels of a file touch.

In: the facts of a kernel. Out: for each type of structure in its arrays, the bytes of one that its
accesses touch, wherever they are; and the most that another kernel of the file does. Where in its
structure an access begins is told by what is added to its address last. Not handled: of files with
more than `_MOST` kernels some are not looked at.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import Opcode, Operation
from ...ir.types import Kind
from ...ir.values import whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess
    from ...ir.types import Type
    from .facts import PointerFacts

_MOST = 16  # kernels of the file
_OF_THE_KERNEL = frozenset({Space.SHARED, Space.LOCAL})  # laid out as it likes


def touched_elsewhere(facts: PointerFacts) -> Mapping[Type, int]:
    """By type of structure in arrays, the most bytes of one that another kernel of the file
    touches.
    """
    found: dict[Type, int] = {}
    for each in facts.others(_MOST):
        for structure, count in each.touched_structures.items():
            found[structure] = max(count, found.get(structure, 0))
    return found


def touched_structures(facts: PointerFacts) -> Mapping[Type, int]:
    """By type of structure in arrays, the bytes of one that a kernel touches."""
    touched: dict[Type, set[int]] = defaultdict(set)
    for access in facts.accesses:
        item = facts.points_to.object_of(access)
        structure = structure_of(access, item)
        if structure is not None and (item is None or item.space not in _OF_THE_KERNEL):
            size = structure.width or 0
            start = _member(access) % size
            end = min(size, start + (access.width or 0))
            touched[structure].update(range(start, end))
    return {structure: len(places) for structure, places in touched.items()}


def structure_of(access: MemoryAccess, item: MemoryObject | None) -> Type | None:
    """The type of the structures that an access touches whole or in part: as the source says it,
    or what the array that it goes to is made of.
    """
    elements = (access.structure, access.element, None if item is None else item.element)
    return next((each for each in elements if each is not None and _is_structure(each)), None)


def _is_structure(element: Type) -> bool:
    return element.kind is Kind.AGGREGATE and bool(element.width)


def _member(access: MemoryAccess) -> int:
    """Where in its structure an access begins: what is added to the address last."""
    address = access.address
    if isinstance(address, Operation) and address.opcode is Opcode.ADD:
        return whole_number(address.operands[1]) or 0
    return 0
