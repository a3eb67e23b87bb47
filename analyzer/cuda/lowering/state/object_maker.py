"""Memory objects of a kernel, the variables that name them, and the addresses of places.

In: C++ types and reasons. Out: the places of new objects, registered with the kernel that is built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir import types as ir
from ....ir.memory import MemoryObject, Space, Variable
from ....ir.operation_kinds import Function
from ....ir.operations import Call, Opcode
from ....ir.values import ObjectAddress, UnknownDistance
from ..model import ctypes
from ..model.layouts import extents_of, scalar_of
from ..model.scope import HeldAddress, MemoryPlace, Typed, ValuePlace, is_fragment
from .value_maker import ValueMaker

if TYPE_CHECKING:
    from ....ir.builder import Builder
    from ....ir.kernel import Kernel
    from ....ptx.lowering.frame import Register
    from ....source.text import Span
    from ..model.ctypes import CType
    from ..model.scope import ClassScope, Place


_INLINED = 8  # operations that cost as much as inlining a call, beside its body, does
_NODES = 8  # of the tree, read again for each call, which cost as much as an operation does


class ObjectMaker(ValueMaker):
    """What makes objects for one kernel."""

    def __init__(self, builder: Builder) -> None:
        super().__init__(builder)
        self.assembly: dict[str, Register] = {}  # what asm statements have declared so far
        self.destroyed: dict[ClassScope, bool] = {}  # whether ends of their objects matter
        self.nodes = 0  # of the tree, read so far: what is folded away costs time, too
        self.inlined = 0  # calls: binding parameters and naming members costs time, too

    @property
    def kernel(self) -> Kernel:
        """The kernel being built."""
        return self.builder.kernel

    @property
    def effort(self) -> int:
        """The operations made, or as many as cost what was read: constants leave none behind."""
        return max(self.builder.size, self.nodes // _NODES)

    @property
    def made(self) -> int:
        """The effort, and what each call cost that was inlined, as so many operations."""
        return self.effort + _INLINED * self.inlined

    def work(self, steps: int) -> None:
        """Count steps that leave neither operations nor nodes behind, each as an operation."""
        self.nodes += steps * _NODES

    def new_object(self, object: MemoryObject, reason: str, type: CType) -> MemoryPlace:
        """Register a memory object of the kernel and the variable that names it."""
        self.kernel.objects.append(object)
        self.kernel.variables.append(
            Variable(
                object.name,
                type.name,
                object.space,
                object.span,
                reason,
                object.size,
                object,
                is_fragment(type),
            )
        )
        return self.object_place(object, type)

    def object_place(
        self, object: MemoryObject, type: CType, declared: Span | None = None
    ) -> MemoryPlace:
        """The place of a whole memory object, by one of its declarations."""
        return MemoryPlace(ObjectAddress(ir.POINTER, object, declared), type)

    def named_at(self, place: Place, node: Any) -> Place:
        """The place that a name stands for; of memory with several names, by this one."""
        address = place.address if isinstance(place, MemoryPlace) else None
        if not isinstance(address, ObjectAddress) or not address.object.dynamic:
            return place
        own = ObjectAddress(address.type, address.object, address.declared, node.coord)
        return MemoryPlace(own, place.type)

    def unknown_member(self, base: MemoryPlace, type: CType, reason: str) -> MemoryPlace:
        """The place of a member that lies behind what has no known size."""
        length = type.size if type.form is ctypes.Form.ARRAY else None
        distance = UnknownDistance(ir.INT64, reason, length)
        address = self.builder.compute(Opcode.ADD, ir.POINTER, base.address, distance)
        return MemoryPlace(address, type)

    def address(self, place: Place) -> Typed:
        """A pointer to a place, which stays in registers while only the lowering follows it."""
        type = ctypes.pointer_to(place.type)
        if isinstance(place, ValuePlace) and isinstance(place.value.value, Call):
            return self.pure(Function.REFERRED, [place.value.value], type)
        return Typed(place.address if isinstance(place, MemoryPlace) else HeldAddress(place), type)

    def local_object(
        self,
        name: str,
        type: CType,
        reason: str,
        span: Span | None,
        qualifier: str = "",
        *,
        constructed: bool = False,
        initialised: bool = False,
        sized: bool = True,
    ) -> MemoryPlace:
        """An object in local memory (before any promotion to registers), of the size of its type
        if that is more than what it was initialised with.
        """
        held, extents, aligned = scalar_of(type).ir(), extents_of(type), type.alignment
        object = MemoryObject(
            name,
            Space.LOCAL,
            held,
            type.size if sized else None,
            aligned,
            extents,
            span,
            qualifier=qualifier,
            constructed=constructed,
            initialised=initialised,
        )
        return self.new_object(object, reason, type)
