"""How much of structures in arrays the kernels of a file touch.

In: the facts of a kernel. Out: for each type of structure in its arrays, the bytes of one that its
accesses touch, wherever they are; and the most that another kernel of the file does. Where in its
structure an access begins is told by what is added to its address last. Not handled: of files with
more than `_MOST` kernels some are not looked at.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ...ir.operations import Opcode, Operation
from ...ir.types import Kind
from ...ir.values import whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...ir.operations import MemoryAccess
    from ...ir.types import Type
    from .facts import PointerFacts

_MOST = 16  # kernels of the file


def touched_elsewhere(facts: PointerFacts) -> Mapping[Type, int]:
    """By type, the most bytes of one structure that another kernel of the file touches."""
    found: dict[Type, int] = {}
    for each in facts.others(_MOST):
        for structure, count in each.touched_structures.items():
            found[structure] = max(count, found.get(structure, 0))
    return found


def touched_structures(facts: PointerFacts) -> Mapping[Type, int]:
    """By type, the bytes of one structure that a kernel touches."""
    if not any(_is_structure(item.element) for item in facts.kernel.objects):
        return {}
    touched: dict[Type, set[int]] = defaultdict(set)
    for access in facts.accesses:
        item = facts.points_to.object_of(access)
        if item is not None and _is_structure(item.element):
            size = item.element.width or 0
            start = _member(access) % size
            end = min(size, start + (access.width or 0))
            touched[item.element].update(range(start, end))
    return {structure: len(places) for structure, places in touched.items()}


def _is_structure(element: Type) -> bool:
    return element.kind is Kind.AGGREGATE and bool(element.width)


def _member(access: MemoryAccess) -> int:
    """Where in its structure an access begins: what is added to the address last."""
    address = access.address
    if isinstance(address, Operation) and address.opcode is Opcode.ADD:
        return whole_number(address.operands[1]) or 0
    return 0
