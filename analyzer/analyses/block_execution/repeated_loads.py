"""Loads that find the same number: those of one place to which the kernel does not write.

Problem: `if (q[0] < q[1] && q[1] < n)` loads `q[1]` twice; a run that takes two numbers for it does
what nobody can launch. In: the accesses of a kernel, and which objects it may write. Out: for each
load of a number whose place is the same in all iterations of loops, the first one of that place.
Not handled: loads behind stores to other elements, and volatile ones; pointers are taken to lead to
different memory unless points-to says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import AccessKind, MemoryAccess, Phi
from ...ir.types import Kind
from ..dataflow.slices import backward_slice
from ..dataflow.value_numbering import ValueNumbering

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from ..pointers.pointer_contents import Targets
    from ..pointers.points_to import PointsTo


def repeated_loads(
    accesses: Iterable[MemoryAccess], points_to: PointsTo, written: Targets
) -> Mapping[MemoryAccess, MemoryAccess]:
    """For each load of a run the first one of its place; none for those that may find different
    numbers.
    """
    names = ValueNumbering()
    first: dict[Hashable, MemoryAccess] = {}
    found: dict[MemoryAccess, MemoryAccess] = {}

    def stays(load: MemoryAccess) -> bool:
        item = points_to.object_of(load)
        kept = load.kind is AccessKind.LOAD and not load.volatile
        return kept and item is not None and not written & {item, None}

    for access in accesses:
        if access.type.kind is not Kind.INTEGER or not stays(access):
            continue
        made_of = backward_slice(access.address)
        if not any(
            isinstance(e, Phi) or (isinstance(e, MemoryAccess) and not stays(e)) for e in made_of
        ):
            found[access] = first.setdefault(names.of(access), access)
    return found
