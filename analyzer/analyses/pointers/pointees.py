"""What each pointer of a kernel may point to, named for a reader.

In: the facts of a kernel. Out: for each variable that is a pointer, or holds pointers or texture
objects, the places it may lead to over the whole kernel (points_to.py). The space of a pointer says
nothing of the space it points to: what the host writes into a `__constant__` or `__device__`
pointer is not known here. Not handled: pointers inside classes in memory.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import Field, Opcode
from ...ir.types import Kind
from ...ir.values import Parameter
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from ...ir.memory import MemoryObject, Variable
    from ...ir.values import Value
    from ...source.text import Span
    from .facts import PointerFacts

_HANDLES = {
    "cudaTextureObject_t": Space.TEXTURE,
    "cudaSurfaceObject_t": Space.SURFACE,
}
_HOST_WRITES = (Space.CONSTANT, Space.GLOBAL)


@dataclass(frozen=True, slots=True)
class Pointee:
    """One object or memory space that a pointer may lead to; `space` is None for a place that is
    not known.
    """

    space: Space | None
    name: str = ""
    through: str = ""  # the member that points there, for a class of pointers

    def __str__(self) -> str:
        if self.space is None:
            place = "unknown"
        else:
            place = " ".join(filter(None, (self.space.value, self.name)))
        return f"{self.through}: {place}" if self.through else place


class Pointees:
    """What each pointer among one kernel's variables may point to, named for a reader."""

    def __init__(self, facts: PointerFacts) -> None:
        self._facts = facts
        self._targets = facts.points_to
        self._parameters = {item.name: item for item in facts.kernel.parameters}
        values: dict[Hashable, list[Value]] = {}
        places: dict[Hashable, Span] = {}
        for item in facts.kernel.definitions:
            values.setdefault(item.variable, []).append(item.value)
            places.setdefault(item.variable, item.location.span)
        self._values: dict[tuple[str, Span], list[Value]] = {}
        for item in facts.kernel.definitions:
            key = (item.name, places[item.variable])
            self._values.setdefault(key, []).extend(values.pop(item.variable, ()))

    def of(self, variable: Variable) -> tuple[Pointee, ...] | None:
        """Where a variable leads; None when it is no pointer."""
        if variable.type in _HANDLES:
            return (Pointee(_HANDLES[variable.type]),)
        if variable.space is Space.PARAMETER:
            return self._parameter(self._parameters.get(variable.name))
        if "*" not in variable.type:
            return None
        if variable.object is not None:
            return self._stored(variable.object)
        values = self.values(variable)
        return self._named(target for value in values for target in self._targets.of(value))

    def values(self, variable: Variable) -> list[Value]:
        """Everything that a variable in registers holds at some time."""
        span = variable.span
        return [] if span is None else self._values.get((variable.name, span), [])

    def _parameter(self, parameter: Parameter | None) -> tuple[Pointee, ...] | None:
        if parameter is None:
            return None
        if parameter.type.kind is Kind.POINTER:
            return self._named(self._targets.of(parameter))
        held = self._pointers_in.get(parameter, ())
        found = {name: self._named(self._targets.of(value)) for name, value in held}
        members = [
            Pointee(item.space, item.name, member) for member in found for item in found[member]
        ]
        return tuple(members) or None

    @cached_property
    def _pointers_in(self) -> dict[Parameter, list[tuple[str, Value]]]:
        """The members of parameters that are pointers and that the kernel reads."""
        kernel = self._facts.kernel
        by_index = {each.index: each for each in kernel.parameters}
        found: dict[Parameter, list[tuple[str, Value]]] = {}
        for member in kernel.members:
            owner, names = member.member or (None, ())
            parameter = None if owner is None else by_index.get(owner)
            if parameter is not None and member.type.kind is Kind.POINTER:
                found.setdefault(parameter, []).append((".".join(names), member))
        for operation in kernel.operations():
            if isinstance(operation, Field) and operation.opcode is Opcode.EXTRACT:
                whole = operation.operands[0]
                if isinstance(whole, Parameter) and operation.type.kind is Kind.POINTER:
                    found.setdefault(whole, []).append((operation.name, operation))
        return found

    def _stored(self, holder: MemoryObject) -> tuple[Pointee, ...]:
        """What the kernel stores in a pointer that lives in memory, and what the host may."""
        targets: set[MemoryObject | None] = set()
        if holder.space in _HOST_WRITES:
            targets.add(None)
        for access in self._facts.accesses:
            if access.writes and holder in self._targets.of(access.address):
                targets |= self._targets.of(access.operands[-1])
        return self._named(targets)

    def _named(self, targets: Iterable[MemoryObject | None]) -> tuple[Pointee, ...]:
        """The targets in the order of the kernel's objects, what is not known last."""
        distinct = dict.fromkeys(targets)
        known = sorted(
            (Pointee(item.space, item.name) for item in distinct if item is not None),
            key=lambda item: (str(item.space), item.name),
        )
        unknown = [Pointee(None)] if None in distinct or not distinct else []
        return (*known, *unknown)
