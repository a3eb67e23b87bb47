"""The state of lowering one kernel, and the steps every part of it needs.

Reading and writing places, conversions, member access, objects for arrays, the chain of inlined
calls. Expressions, statements, inlining and classes as conditions live in rooms further on; they
are reached through the hooks that `cuda/kernel.py` wires.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir import types as ir
from ....ir.memory import MemoryObject, Space
from ....ir.operation_kinds import Function
from ....ir.operations import (
    AccessKind,
    Convert,
    Field,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
)
from ....ir.values import (
    Constant,
    ObjectAddress,
    Undefined,
    Unknown,
    Value,
)
from ....source.location import Location
from ..model import ctypes
from ..model.classes import is_reached_as
from ..model.ctypes import CType, Form
from ..model.layouts import converted, field_of, has_parts, is_copied, is_split, taken_apart
from ..model.scope import (
    ClassPlace,
    FieldPlace,
    HeldAddress,
    MemoryPlace,
    PartPlace,
    Scope,
    Slot,
    Typed,
    UnfollowedPlace,
    ValuePlace,
    VariablePlace,
    root_of,
)
from ..types import atomic_types, constants
from ..types.standard_library import is_standard
from . import atomic_accesses, unfollowed
from .homes import Homes
from .object_maker import ObjectMaker
from .value_maker import nameless, operand_at, part_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from ....ir.builder import Builder
    from ....source.text import Span
    from ..model.frame import Dispatch, Frame
    from ..model.scope import Place
    from ..program.program import Program
    from ..types.constant_arithmetic import Number
    from ..types.type_reader import TypeReader
    from .inlining import Inlining

DEPTH_LIMIT = 24  # calls inlined into each other


class Context(ObjectMaker):
    """Everything the lowering of one kernel shares."""

    def __init__(self, builder: Builder, program: Program, reader: TypeReader, arch: int) -> None:
        super().__init__(builder)
        self.program = program
        self.reader = reader
        self.arch = arch
        self.scope = Scope()
        self.frames: list[Frame] = []
        self.objects: dict[Hashable, MemoryObject] = {}  # by the declaring node and its instance
        self.dynamic_shared: MemoryObject | None = None
        self.strings: dict[str, MemoryObject] = {}  # the literals, by text
        self.storages: dict[Value, Value] = {}  # by the value of a CUB collective, where it works
        self.homes = Homes()
        self.taken: dict[MemoryObject, int] = {}  # address-taken variables and their declarations
        self.slots: dict[MemoryObject, Slot] = {}  # of those that go to registers all the same
        self.dispatches: list[Dispatch] = []  # switches around this point
        self.oversized: frozenset[int] = frozenset()  # those whose instances are not followed
        self.most = 0  # operations with which no more calls are inlined
        self.dropped: Any = None  # the expression whose value nobody takes
        self.unrolling: int | None = None  # what a pragma says of the loop that comes next
        self.expression: Callable[[Any], Typed] = _not_wired
        self.statement: Callable[[Any], None] = _not_wired
        self.place: Callable[[Any], Place] = _not_wired
        self.inline: Inlining = _not_wired  # the body of a function in place of its call
        self.as_bool: Callable[[Typed], Typed | None] = _not_wired  # a class as a condition
        self.as_number: Callable[[Typed, CType], Typed | None] = _not_wired  # or as a number

    @property
    def frame(self) -> Frame:
        """The innermost function being lowered."""
        return self.frames[-1]

    def at(self, node: Any, *, assembly: bool = False) -> None:
        """Operations from here on come from this node."""
        self.nodes += 1
        coord: Span | None = getattr(node, "coord", None)
        if coord is not None and not is_standard(coord):
            call = self.frame.call
            self.builder.location = Location(coord, inlined_at=call, assembly=assembly)

    # ---- values ------------------------------------------------------------------------------

    def undefined(self, type: CType, name: str) -> Typed:
        """What a variable holds that was not initialised."""
        return Typed(Undefined(type.ir(), f"{self.frame.unset(name)} is not initialised"), type)

    def convert(self, typed: Typed, target: CType) -> Typed:
        """The value as another type; classes and unknown types are left as they are."""
        source = typed.type
        if source is target:  # mostly
            return typed
        if ctypes.is_reference(target) and source.name != target.name:
            return Typed(self.address(ValuePlace(typed)).value, target)
        if target.is_scalar and atomic_types.refers(source):
            return self.convert(atomic_accesses.value_of(self, typed), target)
        if target.form in (Form.UNKNOWN, Form.CLASS, Form.ARRAY, Form.VOID):
            return Typed(typed.value, target if target.form is Form.CLASS else source)
        if source.form is Form.CLASS and target.is_scalar and target.form is not Form.POINTER:
            number = self.as_number(typed, target)
            if number is not None and number.type.form is not Form.CLASS:
                return self.convert(number, target)
        if source.form in (Form.UNKNOWN, Form.CLASS, Form.VOID):
            return Typed(typed.value, target) if source.form is not Form.VOID else typed
        if target.form is Form.BOOL:
            return Typed(self.truth(typed), target)
        wanted, held = target.ir(), source.ir()
        if wanted == held:
            return Typed(typed.value, target)
        if isinstance(typed.value, Constant):
            return Typed(converted(typed.value, wanted), target)
        operation = Convert(wanted, typed.value, self.builder.location, held)
        return Typed(self.builder.emit(operation), target)

    def number(self, node: Any) -> Number | None:
        """The number that an expression is, if it is a constant one."""
        return constants.evaluate(node, self.scope, self.program, self.reader)

    def first_integer(self, explicit: list[Any]) -> int | None:
        """The first one of a call's template arguments, if it is a whole number."""
        number = self.number(explicit[0]) if explicit else None
        return number if isinstance(number, int) else None

    def truth(self, typed: Typed) -> Value:
        """The value as a condition."""
        if typed.type.form is Form.BOOL:
            return typed.value
        if isinstance(typed.value, Constant):
            return self.builder.constant(int(bool(typed.value.value)), ir.PREDICATE)
        if typed.type.form is Form.CLASS:
            said = self.as_bool(typed)
            if said is not None:
                return self.truth(said)
        if not typed.type.is_scalar:
            unknown = Convert(ir.PREDICATE, typed.value, self.builder.location, typed.type.ir())
            return self.builder.emit(unknown)
        held = typed.type.ir()
        return self.builder.compare(Opcode.NE, held, typed.value, self.builder.constant(0, held))

    def offset(self, address: Value, index: Typed, element: CType) -> Value:
        """`address + index * sizeof(element)` in bytes."""
        counted = index.type.is_scalar or index.type.form is Form.CLASS
        wide = self.convert(index, ctypes.LONG).value if counted else index.value
        if isinstance(wide, Constant) and wide.value == 0:
            return address
        scaled = self.builder.compute(Opcode.MUL, ir.INT64, wide, self.size_of(element))
        return self.builder.compute(Opcode.ADD, ir.POINTER, address, scaled)

    # ---- places ------------------------------------------------------------------------------

    def read(self, place: Place) -> Typed:
        """The value in a place; an array that is no value reads as a pointer to its beginning."""
        if is_copied(place.type):
            return self.contents(place)
        held = not isinstance(place, MemoryPlace | ValuePlace)
        if held and place.type.form is Form.ARRAY and place.type.element is not None:
            return Typed(HeldAddress(place), ctypes.pointer_to(place.type.element))
        return self._whole(place)

    def _whole(self, place: Place) -> Typed:
        """The value in a place, all elements of an array that is held in registers."""
        if isinstance(place, VariablePlace | UnfollowedPlace) and place.slot is not None:
            return Typed(self.builder.read(place.slot, place.type.ir()), place.type)
        if isinstance(place, ValuePlace):
            return place.value
        if isinstance(place, ClassPlace):
            return self.aggregate(place.type, [self.contents(part) for part in place.parts])
        if isinstance(place, FieldPlace):
            return self.extract(self._whole(place.base), place)
        if isinstance(place, PartPlace):
            whole = self._whole(place.base).value
            return self.pure(Function.PART, [whole, *place.selector], place.type)
        slot = self.slot_behind(place)
        if slot is not None:
            return Typed(self.builder.read(slot, place.type.ir()), place.type)
        if place.type.form is Form.ARRAY:
            assert place.type.element is not None
            return Typed(place.address, ctypes.pointer_to(place.type.element))
        if is_split(place.type):
            members = [self.read(self.field(place, member.name)) for member in place.type.members]
            return self.aggregate(place.type, members)
        if atomic_types.is_object(place.type):
            return atomic_accesses.read(self, place)
        return Typed(self._access(AccessKind.LOAD, place, place.type.ir()), place.type)

    def contents(self, place: Place) -> Typed:
        """What a member holds, all elements of an array in memory too."""
        if isinstance(place, MemoryPlace) and place.type.form is Form.ARRAY:
            return Typed(self._access(AccessKind.LOAD, place, place.type.ir()), place.type)
        return self._whole(place)

    def put(self, place: Place, value: Typed) -> None:
        """As `write`, for what no name of the source stands for."""
        known = len(self.kernel.definitions)
        self.write(place, value)
        del self.kernel.definitions[known:]

    def write(self, place: Place, value: Typed) -> None:
        """Store a value in a place; writing what can only be read is not understood."""
        value = self.fitted(self.convert(value, place.type), place.type.bits)
        if self.builder.current is None:
            return  # nothing gets here
        if isinstance(place, UnfollowedPlace):
            unfollowed.assign(self, place, value.value)
        elif isinstance(place, PartPlace) and unfollowed.is_view(self, root_of(place)):
            self.opaque("assignment through a parameter of unknown type", [value.value])
        elif isinstance(place, PartPlace):
            inputs = [self._whole(place.base).value, *place.selector, value.value]
            self.write(place.base, self.pure(Function.UPDATE, inputs, place.base.type))
        elif isinstance(place, VariablePlace):
            self.builder.define(place.slot, value.value)
        elif isinstance(place, ClassPlace):
            for part, held in zip(place.parts, self._members_of(value, place.type), strict=True):
                self.write(part, held)
        elif isinstance(place, FieldPlace):
            whole = self._whole(place.base)
            inserted = Field(
                Opcode.INSERT,
                place.base.type.ir(),
                [whole.value, value.value],
                self.builder.location,
                place.offset,
                place.name,
            )
            self.write(place.base, Typed(self.builder.emit(inserted), place.base.type))
        elif isinstance(place, MemoryPlace) and (slot := self.slot_behind(place)) is not None:
            self.builder.define(slot, value.value)
        elif isinstance(place, MemoryPlace) and is_split(place.type):
            for member in place.type.members:
                assert member.offset is not None
                source = FieldPlace(ValuePlace(value), member.offset, member.type, member.name)
                self.write(self.field(place, member.name), nameless(self.read(source), place.type))
        elif isinstance(place, MemoryPlace):
            self._access(AccessKind.STORE, place, ir.VOID, value.value)
        else:
            self.opaque("assignment to something that is not a variable")

    def _members_of(self, whole: Typed, type: CType) -> list[Typed]:
        """The members of a class value in order."""
        value = self.builder.resolve(whole.value)
        if isinstance(value, Unknown):
            return [part_of(value, member.type) for member in type.members]
        return [
            self.extract(Typed(value, type), field_of(ValuePlace(whole), index, member))
            for index, member in enumerate(type.members)
        ]

    def slot_behind(self, place: MemoryPlace) -> Slot | None:
        """The variable that an address stands for, when it lives in registers after all."""
        address = place.address
        if not self.slots or not isinstance(address, ObjectAddress):
            return None
        slot = self.slots.get(address.object)
        return slot if place.type.ir() == address.object.element else None

    def _access(
        self, kind: AccessKind, place: MemoryPlace, result: ir.Type, *stored: Value
    ) -> Value:
        """Move the whole of a place in memory."""
        location = self.builder.location
        if kind is AccessKind.LOAD and place.argument is not None:
            location = place.argument
        access = MemoryAccess(
            kind,
            result,
            [place.address, *stored],
            location,
            width=place.type.size,
            element=place.type.ir(),
            volatile=place.type.volatile,
            vector=place.vector,
            structure=place.structure,
            alignment=place.type.alignment,
            name=location.span.excerpt,
        )
        return self.builder.emit(access)

    def extract(self, whole: Typed, place: FieldPlace) -> Typed:
        """A member of an aggregate value, looking through what built it."""
        if isinstance(value := self.builder.resolve(whole.value), Unknown):
            return part_of(value, place.type)
        while isinstance(value, Operation):
            if isinstance(value, Field) and value.opcode is Opcode.INSERT:
                if value.offset == place.offset:
                    if value.operands[1].type != place.type.ir():
                        break  # another member of a union
                    return Typed(value.operands[1], place.type)
                value = self.builder.resolve(value.operands[0])
            elif value.opcode is Opcode.AGGREGATE:
                operand = operand_at(place, whole.type.members, value.operands)
                if operand is not None:
                    return Typed(operand, place.type)
                break
            else:
                break
        where, type = self.builder.location, place.type.ir()
        operation = Field(Opcode.EXTRACT, type, [value], where, place.offset, place.name)
        return Typed(self.builder.emit(operation), place.type)

    def member(self, base: Place, name: str) -> Place:
        """The place of a data member; of what it refers to when it is a reference."""
        field = self.field(base, name)
        return self.pointed_at(self.read(field)) if ctypes.is_reference(field.type) else field

    def field(self, base: Place, name: str) -> Place:
        """The place of a data member itself."""
        index = base.type.index(name)
        member = None if index is None else base.type.members[index]
        if isinstance(base, ClassPlace) and index is not None:
            return base.parts[index]
        if index is not None and member is not None and not isinstance(base, MemoryPlace):
            return field_of(base, index, member)
        if member is None or member.offset is None:
            unknown = ctypes.unknown("auto") if member is None else member.type
            reason = f"{base.type.name} has no known member {name}"
            if isinstance(base, MemoryPlace):
                unknown = ctypes.qualified(unknown, volatile=base.type.volatile)
                return self.unknown_member(base, unknown, reason)
            return PartPlace(base, (), unknown)
        if isinstance(base, MemoryPlace):
            type = ctypes.member_type(base.type, member.type)
            whole = base.type.size or 0
            vector = whole if whole in (8, 16) and base.type.alignment == whole else 0
            outer = base.structure or base.type.ir()
            if member.offset == 0:
                return MemoryPlace(base.address, type, vector, outer)
            distance = self.builder.constant(member.offset, ir.INT64)
            address = self.builder.compute(Opcode.ADD, ir.POINTER, base.address, distance)
            return MemoryPlace(address, type, vector, outer)
        return PartPlace(base, (), member.type)

    def address(self, place: Place) -> Typed:
        """A pointer to a place: whoever gets it may change what is there."""
        if isinstance(root_of(place), UnfollowedPlace):
            unfollowed.forget(self, place)
        return super().address(place)

    def pointed_at(self, pointer: Typed) -> Place:
        """What a pointer leads to."""
        element = pointer.type.element
        value = self.builder.resolve(pointer.value)
        if isinstance(value, Phi) and ctypes.is_reference(pointer.type):
            # It is set once, so what comes around a loop that is being read is the same.
            sources = self.builder.sources(value)
            bound = [each for each in sources if not isinstance(each, Undefined)]
            value = bound[0] if len(bound) == 1 else value
        if isinstance(value, HeldAddress) and is_reached_as(value.place, element):
            return value.place
        if pointer.type.form is not Form.POINTER or element is None:
            element = ctypes.unknown("auto")
        return MemoryPlace(pointer.value, element)

    def aggregate(self, type: CType, values: list[Typed]) -> Typed:
        """A class value from its members in order; what was taken apart is itself again."""
        operands = [
            self.convert(value, member.type).value
            for value, member in zip(values, type.members, strict=False)
        ]
        whole = taken_apart(type, operands)
        if whole is not None:
            return Typed(whole, type)
        operation = Operation(Opcode.AGGREGATE, type.ir(), operands, self.builder.location)
        return Typed(self.builder.emit(operation), type)

    def registers(
        self, name: str, type: CType, node: Any = None, path: tuple[str, ...] = ()
    ) -> Place:
        """The place of a variable in registers: one for each member of a class that allows it. A
        member whose address is needed lies in memory all the same.
        """
        if path and (id(node), path) in self.homes.memory:
            span = self.builder.location.span if node is None else node.coord
            full = f"{name}.{path[-1]}" if type.form is Form.ARRAY else name
            return self.local_object(full, type, "its address is needed", span)
        if not has_parts(type):
            return VariablePlace(Slot(name, node, path), type if path else ctypes.whole(type))
        parts = tuple(
            self.registers(
                # An array in it goes by its whole name.
                name if member.type.form is Form.ARRAY else f"{name}.{member.name}",
                member.type,
                node,
                (*path, member.name),
            )
            for member in type.members
        )
        return ClassPlace(type, parts, node, path)

    def temporary(self, type: CType, node: Any) -> Place:
        """The place of a new object of a class that `node` defines."""
        if (id(node), ()) in self.homes.memory:
            return self.local_object(f"a {type.name}", type, "its address is needed", node.coord)
        return self.registers(f"a new {type.name}", type, node)

    def variable(self, node: Any, type: CType, *, sized: bool = True) -> Place:
        """The place of a new local variable or parameter that is no array; `sized` if its type is
        more than that of what it is initialised with.
        """
        name, type = node.name or "parameter", ctypes.whole(type)
        if name not in self.frame.address_taken and (id(node), ()) not in self.homes.memory:
            return self.registers(name, type, node)
        if id(node) not in self.homes.registers:
            given = getattr(node, "init", None) is not None
            why = "its address is taken"
            place = self.local_object(name, type, why, node.coord, initialised=given, sized=sized)
            self.taken[self.kernel.objects[-1]] = id(node)
            return place
        object = MemoryObject(name, Space.LOCAL, type.ir(), type.size, span=node.coord)
        self.slots[object] = Slot(name, node)
        return self.object_place(object, type)

    def is_in_memory(self, place: Place) -> bool:
        """Whether a variable's place is memory, and not registers behind an address."""
        return isinstance(place, MemoryPlace) and self.slot_behind(place) is None


def _not_wired(*asked: Any, **_: Any) -> Any:
    raise AssertionError(f"the lowering of {type(asked[0]).__name__} is not wired")
