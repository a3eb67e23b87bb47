"""Points-to: the memory objects an address may lead into, and so its space.

In: a kernel. Out: for every value the set of objects it may point into; `None` in the set stands
for "something not known". Flow-insensitive per value, over SSA: additions, conversions, selects and
phis pass objects on; an index added to a pointer does not make it unknown.
A pointer read from a kernel parameter's field leads to global memory, to an object of its own
(CUDA C++ Programming Guide: a kernel's parameters cannot hold shared or local addresses).
Not handled: pointers stored to memory and loaded again are unknown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..ir.memory import MemoryObject, Space
from ..ir.operations import Field, MemoryAccess, Opcode, Operation, Pure
from ..ir.types import Kind
from ..ir.values import ObjectAddress, Parameter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..ir.kernel import Kernel
    from ..ir.values import Value

Targets = frozenset[MemoryObject | None]

_NOTHING: Targets = frozenset()
_SOMETHING: Targets = frozenset({None})
_PASSING = frozenset(
    {
        Opcode.ADD,
        Opcode.SUB,
        Opcode.AND,
        Opcode.OR,
        Opcode.MIN,
        Opcode.MAX,
        Opcode.SELECT,
        Opcode.CONVERT,
        Opcode.PHI,
        Opcode.INSERT,
        Opcode.AGGREGATE,
    }
)
_OTHER_BLOCK = frozenset({"map_shared_rank", "mapa"})  # the same place in another block
_OFFSETTING = frozenset({Opcode.ADD, Opcode.SUB, Opcode.AND, Opcode.OR})


class PointsTo:
    """The targets of every value of one kernel."""

    def __init__(self, kernel: Kernel) -> None:
        self._targets: dict[Operation, Targets] = {}
        self._fields: dict[tuple[Parameter, int], MemoryObject] = {}
        self._remotes: dict[MemoryObject, MemoryObject] = {}
        changed = True
        while changed:
            changed = False
            for operation in kernel.operations():
                new = self._transfer(operation)
                if new != self._targets.get(operation, _NOTHING):
                    self._targets[operation] = new
                    changed = True

    def of(self, value: Value) -> Targets:
        """The objects a value may point into."""
        if isinstance(value, Operation):
            return self._targets.get(value, _NOTHING)
        if isinstance(value, ObjectAddress):
            return frozenset({value.object})
        if isinstance(value, Parameter):
            if value.pointee is not None:
                return frozenset({value.pointee})
            return _SOMETHING if value.type.kind is Kind.POINTER else _NOTHING
        return _NOTHING

    def object_of(self, access: MemoryAccess) -> MemoryObject | None:
        """The one object an access touches; None when there are several or it is not known."""
        targets = self.of(access.address)
        return next(iter(targets)) if len(targets) == 1 else None

    def spaces(self, access: MemoryAccess) -> frozenset[Space]:
        """The spaces an access may touch; GENERIC among them when not known."""
        if access.space is not Space.GENERIC:
            return frozenset({access.space})
        targets = self.of(access.address) or _SOMETHING
        return frozenset(Space.GENERIC if item is None else item.space for item in targets)

    def space_of(self, access: MemoryAccess) -> Space:
        """The one space an access touches; GENERIC when there are several or it is not known."""
        spaces = self.spaces(access)
        return next(iter(spaces)) if len(spaces) == 1 else Space.GENERIC

    def _transfer(self, operation: Operation) -> Targets:
        opcode = operation.opcode
        if opcode in _PASSING:
            operands = operation.operands[1:] if opcode is Opcode.SELECT else operation.operands
            return _union((self.of(operand) for operand in operands), opcode in _OFFSETTING)
        if isinstance(operation, Field) and opcode is Opcode.EXTRACT:
            return self._field(operation)
        if isinstance(operation, Pure) and operation.name in _OTHER_BLOCK:
            return frozenset(map(self._remote, self.of(operation.operands[0])))
        if operation.type.kind in (Kind.POINTER, Kind.UNKNOWN) or operation.type.bits == 64:
            return _SOMETHING
        return _NOTHING

    def _remote(self, item: MemoryObject | None) -> MemoryObject | None:
        """What `item` is in another block of the cluster: an object of its own."""
        if item is None or item.space is not Space.SHARED:
            return None
        if item not in self._remotes:
            name = f"{item.name} of another block"
            self._remotes[item] = replace(item, name=name, space=Space.SHARED_CLUSTER)
        return self._remotes[item]

    def _field(self, operation: Field) -> Targets:
        whole = operation.operands[0]
        if not isinstance(whole, Parameter):
            return self.of(whole)
        if operation.type.kind is not Kind.POINTER:
            return _NOTHING
        key = (whole, operation.offset)
        if key not in self._fields:
            self._fields[key] = MemoryObject(
                f"*{whole.name}.{operation.name}",
                Space.GLOBAL,
                operation.type,
                None,
                span=whole.span,
                pointee=True,
            )
        return frozenset({self._fields[key]})


def _union(sets: Iterable[Targets], offsetting: bool) -> Targets:
    union: Targets = frozenset().union(*sets)
    if offsetting and None in union and len(union) > 1:
        return union - _SOMETHING  # an index of unknown origin added to a known pointer
    return union
