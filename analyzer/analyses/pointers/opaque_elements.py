"""Arrays of elements whose type is not known: a template's that nothing names, a missing header's.

In: the facts of a kernel. Out: the kernel with four bytes for each such element, for what goes by
indices alone: who meets whom in `data[i] = data[i + 1]` is the same whatever `T` is. Taken are
arrays that are touched as elements of one unknown type only, at indices of which everything is
known, where the size decides nothing else; on request also at others, which then are a doubt
(`doubts/numbers/unknown_arguments.py`). None where there is no such array.
Not handled: members of such elements, vectors of them, sizes that parts of an array begin at.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from ...ir.copies import copied
from ...ir.memory import Space
from ...ir.operations import AccessKind, Call, MemoryAccess, Opcode, Operation
from ...ir.types import Kind
from ...ir.values import Constant, Unknown, UnknownSize
from ..dataflow.reachability import reachable
from ..dataflow.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...ir.kernel import Kernel
    from ...ir.memory import MemoryObject
    from ...ir.values import Value
    from .facts import PointerFacts

BYTES = 4
_PLAIN = frozenset({AccessKind.LOAD, AccessKind.STORE, AccessKind.ATOMIC, AccessKind.REDUCTION})
_PLACING = frozenset({Opcode.MUL, Opcode.ADD, Opcode.SUB, Opcode.SHL, Opcode.CONVERT, Opcode.PHI})
_SHARED_WITH = frozenset({Space.SHARED, Space.GLOBAL, Space.GENERIC})


def with_elements(facts: PointerFacts) -> Kernel | None:
    """The kernel with sizes for array elements whose type is not known; None where it stays as it
    is.
    """
    if all(access.width for access in facts.accesses):
        return None
    arrays = _arrays(facts)
    if not arrays:
        return None
    sizes: dict[Value, Value] = {
        size: Constant(size.type, BYTES) for size in arrays.values() if size is not None
    }
    objects = {item: _sized(item) for item in arrays if item.space is Space.SHARED}
    kernel, operations = copied(facts.kernel, sizes, objects)
    for access in facts.accesses:
        if facts.points_to.object_of(access) in arrays:
            new = operations[access]
            assert isinstance(new, MemoryAccess)
            new.width = BYTES
    return kernel


def _arrays(facts: PointerFacts) -> dict[MemoryObject, UnknownSize | None]:
    """The arrays of elements of one unknown type, with its size where an index asks for it."""
    found: dict[MemoryObject, set[UnknownSize]] = {}
    mixed: set[MemoryObject | None] = set()
    for access in facts.accesses:
        touched = facts.points_to.touched(access)
        sizes = _sizes(access, any_index=facts.options.doubted)
        if access.width or sizes is None or len(touched) > 1 or access.kind not in _PLAIN:
            mixed |= touched
            continue
        for item in touched:
            if item is not None and item.space in _SHARED_WITH:
                found.setdefault(item, set()).update(sizes)
    alone = {item: sizes for item, sizes in found.items() if item not in mixed and len(sizes) < 2}
    deciding = {size for sizes in alone.values() for size in sizes if not _only_places(facts, size)}
    outside = {
        size for item, sizes in found.items() if item not in alone for size in sizes
    }  # of other arrays as well
    return {
        item: next(iter(sizes), None)
        for item, sizes in alone.items()
        if not sizes & (deciding | outside)
    }


def _sizes(access: MemoryAccess, *, any_index: bool) -> set[UnknownSize] | None:
    """The unknown sizes that decide where an access goes; None where something else does, too,
    unless any index will do. What is loaded is data, wherever it was loaded from.
    """
    made = backward_slice(access.address, through=lambda each: not isinstance(each, MemoryAccess))
    unknown = {each for each in made if isinstance(each, Unknown)}
    sizes = {each for each in unknown if isinstance(each, UnknownSize)}
    return sizes if any_index or len(sizes) == len(unknown) else None


def _only_places(facts: PointerFacts, size: UnknownSize) -> bool:
    """Whether a size has a part in nothing but addresses of what has no known width. What a call
    does that was not read is not known, whatever the place that it is given.
    """

    def onwards(value: Value) -> Iterable[Operation]:
        users = facts.users.get(value, ())
        return () if isinstance(value, MemoryAccess) else (u for u in users if not given(u, value))

    def given(user: Operation, value: Value) -> bool:
        return isinstance(user, Call) and value.type.kind is Kind.POINTER

    sizes: list[Value] = [size]
    found = list(reachable(sizes, onwards))
    accesses = [each for each in found if isinstance(each, MemoryAccess)]
    made = set(found).difference(accesses)
    return not any(
        isinstance(each, Operation) and each.opcode not in _PLACING for each in made
    ) and all(not each.width and made.isdisjoint(each.operands[1:]) for each in accesses)


def _sized(item: MemoryObject) -> MemoryObject:
    """An array of the block with a size."""
    extents = [extent for extent in item.extents if extent is not None]
    known = len(extents) == len(item.extents) and item.element.kind is Kind.UNKNOWN
    if item.size is not None or item.dynamic or not known:
        return item
    return replace(item, size=prod(extents) * BYTES)
