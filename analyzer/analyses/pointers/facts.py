"""What may be asked of where a kernel's addresses lead."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ..dataflow.facts import DataflowFacts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess, Operation
    from ...ir.types import Type
    from .points_to import PointsTo
    from .unsettled_stores import UnsettledStores


class PointerFacts(DataflowFacts):
    """The objects that addresses in a kernel lead into."""

    @cached_property
    def points_to(self) -> PointsTo:
        """Which objects addresses lead into."""
        from ..pointers.points_to import PointsTo

        return PointsTo(self.kernel, self.users)

    @cached_property
    def _unsettled(self) -> UnsettledStores:
        from ..pointers.unsettled_stores import UnsettledStores

        return UnsettledStores(self.kernel, self.points_to)

    @cached_property
    def writers(self) -> Mapping[MemoryObject | None, Sequence[MemoryAccess]]:
        """The accesses that may write an object, in program order; under None: any object."""
        found: dict[MemoryObject | None, list[MemoryAccess]] = {}
        for access in self.accesses:
            for item in self.points_to.touched(access) if access.writes else ():
                found.setdefault(item, []).append(access)
        return found

    @cached_property
    def touched_structures(self) -> Mapping[Type, int]:
        """By type of structure, the bytes of one that the kernel touches."""
        from ..pointers.touched_structures import touched_structures

        return touched_structures(self)

    @cached_property
    def touched_elsewhere(self) -> Mapping[Type, int]:
        """By type of structure, the most bytes of one that another kernel of the file touches."""
        from ..pointers.touched_structures import touched_elsewhere

        return touched_elsewhere(self)

    @cached_property
    def uses_of_objects(self) -> dict[MemoryObject, list[tuple[Operation, int]]]:
        """For each object the operations that get an address in it, and as which operand."""
        uses: dict[MemoryObject, list[tuple[Operation, int]]] = {}
        for operation in self.kernel.operations():
            for place, operand in enumerate(operation.operands):
                for item in self.points_to.of(operand):
                    if item is not None:
                        uses.setdefault(item, []).append((operation, place))
        return uses
