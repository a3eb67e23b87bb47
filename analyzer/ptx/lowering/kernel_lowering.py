"""The state of lowering one kernel, and what every instruction's lowering needs.

`Lowering` reads operands as values, assigns results, computes addresses and places; which
instruction does what stands in `lower_*.py`. Registers hold bits: an operation reads its operands
in its own type, whatever type the value was computed in (PTX ISA 9.4.1, "Operand Size Exceeding
Instruction-Type Size"); only constants are converted, since they carry their number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.builder import Builder
from ...ir.memory import MemoryObject, Space
from ...ir.operation_kinds import Function as Known
from ...ir.operations import Convert, Field, OpaqueOperation, Opcode, Operation, Phi, Pure
from ...ir.types import POINTER, PREDICATE, UINT32, UNKNOWN, Kind, Type
from ...ir.values import Constant, ObjectAddress, Parameter, Unknown, Value
from ...source.location import Location
from ...source.text import Span
from ..syntax.constants import evaluate_constant, number_as, reinterpret
from ..syntax.ptx_types import bits
from ..syntax.special_registers import special_value
from ..syntax.tree import (
    Address,
    Arguments,
    Binary,
    Function,
    Name,
    Number,
    Operand,
    Pair,
    SourceLine,
    Unary,
    Vector,
    written_names,
)
from .frame import Frame, Register, Slot
from .statement_location import StatementLocation

if TYPE_CHECKING:
    from ...ir.block import Block
    from ...ir.kernel import Kernel
    from ..syntax.tree import Guard, Loc
    from .module_names import ModuleNames

_COMPONENTS = "xyzw"


class Lowering:
    """One PTX kernel on its way to the IR."""

    def __init__(self, names: ModuleNames, kernel: Kernel, function: Function) -> None:
        self.names = names
        self.source = names.module.source
        self.kernel = kernel
        self.frame = Frame(function, None)
        self.frames = [self.frame]
        self.registers = self.frame.registers
        self.builder = Builder(kernel, Location(kernel.span))
        self.guard: Value | None = None
        self.inlined_statements = 0
        self.pointers: frozenset[tuple[str, int]] = frozenset()  # parameters used as addresses
        self.missing: list[tuple[Block, str]] = []  # blocks of labels that are not there
        self.last_instruction = 0
        self._addresses: dict[tuple[MemoryObject, int], ObjectAddress] = {}
        self._held = set(self.kernel.objects)
        self._specials: dict[str, Value] = {}
        self._constants: dict[tuple[Number, int], Constant] = {}
        self._call_places: dict[tuple[int, int, int], SourceLine] = {}

    # ---- places ----------------------------------------------------------------------------

    def locate(self, start: int, end: int) -> None:
        """What is emitted next stands at this place."""
        self.builder.location = StatementLocation(self.source, start, end, self.frame)

    def enter_line(self, loc: Loc) -> None:
        """A `.loc`: what follows comes from its line."""
        frame = self.frame
        place = loc.place
        frame.origin = self.names.origin_of(place)
        if place.inlined_at is None:
            frame.inlined_at = frame.call_site
            return
        frame.inlined_at = self._call_chain(loc)
        self._call_places[place.file, place.line, place.column] = place

    def _call_chain(self, loc: Loc) -> Location | None:
        """The calls around an inlined line, outermost innermost-last, as far as `.loc` tells."""
        sites: list[tuple[int, int, int]] = []
        place: SourceLine | None = loc.place
        while place is not None and place.inlined_at is not None and len(sites) < 32:
            if place.inlined_at in sites:
                break
            sites.append(place.inlined_at)
            place = self._call_places.get(place.inlined_at)
        chain = self.frame.call_site
        span = Span(self.source, loc.start, loc.end)
        for site in reversed(sites):
            chain = Location(span, inlined_at=chain, origin=self.names.origin(*site))
        return chain

    # ---- reading ---------------------------------------------------------------------------

    def value(self, operand: Operand, type: Type) -> Value:
        """The operand as a value, to be read as `type`."""
        if operand.__class__ is Name:
            register = self.registers.get(operand)
            if register is None:
                return self._named(operand, type)
            value = self.builder.here.get(register)
            if value is None or value.__class__ is Phi:
                value = self._search(operand, register)
            if value.__class__ is Constant and value.type is not type:
                return reinterpret(value, type)
            return value
        if operand.__class__ is Number:
            key = (operand, id(type))  # the constant keeps its type alive
            constant = self._constants.get(key)
            if constant is None:
                constant = self._constants[key] = number_as(operand, type)
            return constant
        return self._compound(operand, type)

    def _search(self, name: Name, register: Register) -> Value:
        """What a register holds that this block has not written."""
        builder, frame = self.builder, self.frame
        value = builder.here.get(register) or frame.latest.get(register)
        if value is None or not frame.holds(name):
            return builder.read(register, register.type)
        value = builder.here[register] = builder.resolve(value)
        return value

    def _named(self, name: Name, type: Type) -> Value:
        special = self._specials.get(name.text)
        if special is not None:
            return special
        thing = self.frame.things.get(name.text)
        if thing is None:
            register = self.frame.register(name)
            if register is not None:
                value = self.builder.read(register, register.type)
                return reinterpret(value, type) if isinstance(value, Constant) else value
            special = special_value(name.base, name.component)
            if special is not None:
                self._specials[name.text] = special
                return special
            thing = self.names.thing(name.text)
        if isinstance(thing, MemoryObject):
            return self.object_address(thing, type)
        if isinstance(thing, Slot):
            return self.object_address(self.slot_object(thing), type)
        if isinstance(thing, Function):
            return Unknown(type, f"the address of function {name.text}", per_thread=False)
        if name.component:
            return self._component(name, type)
        return self.undeclared(name, type)

    def undeclared(self, name: Name, type: Type) -> Value:
        """What is read by a name that nothing declares."""
        return self.builder.read(self.frame.make_register(name, type), type)

    def _component(self, name: Name, type: Type) -> Value:
        """`%v.x` of a vector register, `%r1.b0` of a video instruction: a part of a register."""
        base = self.names.atoms.name(name.base)
        value = self.value(base, UINT32)
        return self.pure(f"part.{name.component}", type, [value])

    def _compound(self, operand: Operand, type: Type) -> Value:
        if isinstance(operand, Unary) and operand.operator == "!":
            return self.builder.compute(
                Opcode.NOT, PREDICATE, self.value(operand.operand, PREDICATE)
            )
        if isinstance(operand, Unary) and isinstance(operand.operand, Number):
            return number_as(operand.operand, type, negative=operand.operator == "-")
        if isinstance(operand, Vector | Arguments) and len(operand.elements) == 1:
            return self.value(operand.elements[0], type)
        if isinstance(operand, Address):
            return self.address(operand)
        if isinstance(operand, Pair):
            return self.value(operand.first, type)
        number = evaluate_constant(operand)
        if number is not None:
            return self.builder.constant(number, type)
        return self._sum(operand, type)

    def _sum(self, operand: Operand, type: Type) -> Value:
        """`table + 8`: the address of a variable and a displacement."""
        if isinstance(operand, Binary) and operand.operator in "+-":
            right = evaluate_constant(operand.right)
            if right is not None:
                offset = right if operand.operator == "+" else -right
                return self.displaced(self.value(operand.left, type), offset)
        return Unknown(type, "unsupported operand")

    def values(self, operand: Operand, type: Type) -> list[Value]:
        """The values of an operand's elements: several for a vector, addresses for `[…]`."""
        if operand.__class__ is Name and not self.frame.vectors and operand.text != "_":
            return [self.value(operand, type)]
        elements = self.elements(operand)
        if elements is not None:
            return [value for element in elements for value in self.values(element, type)]
        if isinstance(operand, Address):
            rest = [value for part in operand.rest for value in self.values(part, UINT32)]
            return [self.address(operand), *rest]
        if isinstance(operand, Name) and operand.text == "_":
            return []
        return [self.value(operand, type)]

    def stored(self, operand: Operand, type: Type) -> list[Value]:
        """The values that an operand leaves in memory, one at least: `{}` and `_` say none."""
        return self.values(operand, type) or [Unknown(type, "unsupported operand")]

    def predicate(self, guard: Guard) -> Value:
        """The predicate of a guard, before its negation."""
        return self.value(guard.predicate, PREDICATE)

    # ---- addresses -------------------------------------------------------------------------

    def address(self, operand: Operand) -> Value:
        """The byte address an operand such as `[%rd1+4]` stands for."""
        if operand.__class__ is not Address:
            return self.value(operand, POINTER)
        start, joint, written, _, _, _ = operand
        base = self.value(start, POINTER)
        if written is None:
            return base
        offset = written.value if written.__class__ is Number else evaluate_constant(written)
        if not isinstance(offset, int):
            index = self.value(written, UINT32)
            return self.builder.compute(Opcode.ADD, _address_type(base), base, index)
        return self.displaced(base, -offset if joint.endswith("-") else offset)

    def displaced(self, base: Value, offset: int) -> Value:
        """An address some constant bytes away; a negative distance is a subtraction."""
        if offset == 0:
            return base
        type_ = _address_type(base)
        opcode = Opcode.ADD if offset > 0 else Opcode.SUB
        return self.builder.compute(opcode, type_, base, Constant(type_, abs(offset)))

    def object_address(self, object: MemoryObject, type: Type = POINTER) -> ObjectAddress:
        """The address of a variable; 32 bits wide where the instruction is. All dynamic shared
        memory of a kernel is one object: its arrays begin at the same byte (PTX ISA 5.1.6.1).
        """
        width = 32 if type.bits == 32 else 64
        known = self._addresses.get((object, width))
        if known is None:
            objects = self.kernel.objects if object.dynamic else ()
            meant = next((each for each in objects if each.dynamic), object)
            known = ObjectAddress(UINT32 if width == 32 else POINTER, meant, object.span)
            self._addresses[object, width] = known
            self.hold(meant)
        return known

    def hold(self, object: MemoryObject) -> None:
        """The kernel has this variable, if it did not have it before."""
        if object not in self._held:
            self._held.add(object)
            self.kernel.objects.append(object)

    def slot_object(self, slot: Slot) -> MemoryObject:
        """A parameter as an object in memory, once its address is needed."""
        if slot.object is None:
            slot.object = MemoryObject(slot.name, Space.PARAMETER, slot.element, slot.size)
        return slot.object

    # ---- writing ---------------------------------------------------------------------------

    def assign(self, target: Operand, value: Value) -> None:
        """Put a value into a register; under a guard the old value stays when it is false."""
        register = self.registers.get(target) if target.__class__ is Name else None
        if register is None:
            register = self._target(target, value.type)
            if register is None:
                return
        type_ = value.type
        if type_.bits != register.bits and type_.kind is Kind.INTEGER:
            value = self._fit(value, register)
        if self.guard is not None:
            old = self.builder.read(register, register.type)
            value = self.builder.compute(Opcode.SELECT, value.type, self.guard, value, old)
        self.builder.write(register, value)
        self.frame.latest[register] = value

    def _fit(self, value: Value, register: Register) -> Value:
        """Loads and conversions of narrow types extend to the width of the register."""
        if value.type.bits is None or value.type.bits > register.bits:
            return value
        wide = Type(Kind.INTEGER, register.bits, value.type.signed)
        if isinstance(value, Constant):
            return Constant(wide, value.value)
        return self.builder.emit(Convert(wide, value, self.builder.location, value.type))

    def _target(self, target: Operand, type: Type) -> Register | None:
        if isinstance(target, Pair):
            return self._target(target.first, type)
        if isinstance(target, Vector) and len(target.elements) == 1:
            return self._target(target.elements[0], type)
        if not isinstance(target, Name) or target.text == "_":
            return None
        register = self.frame.register(target)
        if register is None and target.component:
            register = self.frame.register(self.names.atoms.name(target.base))
        return register or self.frame.make_register(target, type)

    def pure(
        self,
        name: str,
        type: Type,
        operands: list[Value],
        function: Known = Known.OTHER,
    ) -> Value:
        """A function of its operands that has no opcode of its own in the IR."""
        return self.builder.emit(Pure(name, type, operands, self.builder.location, function))

    def assign_parts(
        self,
        target: Operand,
        type: Type,
        name: str,
        operands: list[Value],
        function: Known = Known.OTHER,
    ) -> None:
        """Compute a named function and put it into one register, a pair or a vector of them."""
        if target.__class__ is Name:
            self.assign(target, self.pure(name, type, operands, function))
            return
        if isinstance(target, Vector) and len(target.elements) > 1:
            whole = Type(Kind.AGGREGATE, len(target.elements) * bits(type))
            value = Pure(name, whole, operands, self.builder.location, function)
            self.builder.emit(value)
            self.spread(target, value, type)
            return
        if isinstance(target, Pair):
            self.assign(target.second, self.pure(f"{name}.predicate", PREDICATE, operands))
        self.assign(target, self.pure(name, type, operands, function))

    def elements(self, operand: Operand) -> tuple[Operand, ...] | None:
        """What `{…}` or a vector register consists of; None for anything else."""
        if isinstance(operand, Vector | Arguments):
            return operand.elements
        if isinstance(operand, Name) and self.frame.vectors:
            return self.frame.vectors.get(operand.text)
        return None

    def spread(self, target: Operand, value: Operation, element: Type) -> None:
        """Put a result into its register, or the fields of an aggregate into theirs."""
        if target.__class__ is Name and not self.frame.vectors:
            self.assign(target, value)
            return
        elements = self.elements(target)
        if elements is None or value.type.kind is not Kind.AGGREGATE:
            self.assign(target, value)
            return
        width = bits(element) // 8
        for index, one in enumerate(elements):
            if isinstance(one, Name) and one.text == "_":
                continue
            name = _COMPONENTS[index] if len(elements) <= 4 else str(index)
            field = Field(
                Opcode.EXTRACT, element, [value], self.builder.location, index * width, name
            )
            self.builder.emit(field)
            self.assign(one, field)

    # ---- parameters of the kernel ----------------------------------------------------------

    def parameter_value(self, slot: Slot, offset: int, element: Type) -> Value:
        """The kernel parameter, or the field of it, that a constant offset names."""
        whole = slot.declared
        assert whole is not None
        if offset == 0 and whole.type.bits == element.bits:
            return whole
        key = (offset, bits(element))
        known = slot.fields.get(key)
        if known is None:
            name = f"{whole.name}+{offset}" if offset else whole.name
            pointee = None
            if (slot.name, offset) in self.pointers and element.bits == 64:
                pointee = MemoryObject(name, Space.GLOBAL, UNKNOWN, None, pointee=True)
            type_ = element if pointee is None else POINTER
            known = Parameter(type_, name, whole.index, whole.span, pointee)
            slot.fields[key] = known
        return known

    # ---- control ---------------------------------------------------------------------------

    def block_of(self, label: Operand | None) -> Block:
        """The block a label begins; for a label that is not there, one that ends the thread."""
        name = label.text if isinstance(label, Name) else ""
        frame = self.frame
        key = frame.labels.find(frame.scope, name)
        block = None if key is None else frame.blocks.get(key)
        if block is None:
            block = self.builder.new_block(name.lstrip("$") or "nowhere")
            if key is None:
                self.missing.append((block, f"undefined label {name}"))
            else:
                frame.blocks[key] = block
        return block

    def push(self, frame: Frame) -> None:
        """Go on with the body of an inlined function."""
        self.frames.append(frame)
        self.frame = frame
        self.registers = frame.registers

    def pop(self) -> None:
        """Go back behind the call of the innermost function."""
        done = self.frames.pop()
        self.frame = self.frames[-1]
        self.registers = self.frame.registers
        assert done.exit is not None
        self.builder.jump(done.exit)
        self.builder.start(done.exit)
        for register, target in done.results:
            self.assign(target, self.builder.read(register, register.type))
        if done.after is not None:
            self.builder.jump(done.after)
            self.builder.start(done.after)

    # ---- what is not understood ------------------------------------------------------------

    def opaque(self, reason: str, operands: tuple[Operand, ...] = ()) -> None:
        """An operation that may do anything; the registers it may write become unknown."""
        self.builder.emit(OpaqueOperation(reason, [], self.builder.location))
        for target in operands[:1]:
            for name in written_names(target):
                register = self._target(name, UINT32)
                if register is not None:
                    self.builder.write(register, Unknown(register.type, reason))


def _address_type(base: Value) -> Type:
    """The type to compute an address in: 32 bits wide when its base is."""
    return UINT32 if base.type.bits == 32 else POINTER
