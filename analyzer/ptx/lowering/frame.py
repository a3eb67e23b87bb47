"""Names inside one function: registers, variables, parameters, labels, and the scopes around them.

A `Frame` is one pass over a function's body; a function inlined twice gets two. Registers and parts
of parameters are the keys under which the SSA builder knows variables. Braces open scopes
(PTX ISA 4.3 and 7.1): what a scope declared is forgotten at its end.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from ...ir.types import UINT32
from ..syntax.constants import array_size
from ..syntax.labels import LabelKey, Labels
from ..syntax.ptx_types import bits, type_of
from .single_writes import SingleWrites

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.memory import MemoryObject
    from ...ir.operations import Call, Pure
    from ...ir.types import Type
    from ...ir.values import Parameter, Value
    from ...source.location import Location, OriginLine
    from ..syntax.tree import (
        Atoms,
        Function,
        Name,
        Number,
        Operand,
        ParameterDeclaration,
        Registers,
    )
    from .module_names import ModuleNames

_DIGITS = 9  # of the number of a register in its bank
_LARGEST_INNER_BANK = 4_096
_MOST_INNER = 200_000  # registers of all banks of vectors, and of those in inner scopes


class Register:
    """One PTX register of one frame; `name` is what messages call it."""

    __slots__ = ("bits", "name", "type")

    def __init__(self, name: str, type: Type, bits: int) -> None:
        self.name = name
        self.type = type
        self.bits = bits


class RegisterBank:
    """What `%r<12>` declares; the kernels of a module share it, since each has its own builder."""

    __slots__ = ("_base", "_names", "_registers", "_type")

    def __init__(self, base: str, type: Type) -> None:
        self._base = base
        self._type = type
        self._names: list[Name | Number] = []
        self._registers: list[Register] = []

    def first(self, count: int, atoms: Atoms) -> Iterator[tuple[Name | Number, Register]]:
        """The first registers of the bank."""
        width = bits(self._type)
        for index in range(len(self._names), count):
            name = atoms[f"{self._base}{index}"]
            self._names.append(name)
            self._registers.append(Register(name.text, self._type, width))
        return zip(islice(self._names, count), self._registers, strict=False)


class SlotPart:
    """The bytes of a PTX parameter at one offset, as a variable for SSA construction."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Slot:
    """A `.param` variable: of the kernel, of a device function, or of a call sequence."""

    __slots__ = ("declared", "element", "fields", "name", "object", "parts", "result_of", "size")

    def __init__(self, name: str, element: Type, size: int | None) -> None:
        self.name = name
        self.element = element
        self.size = size  # in bytes
        self.parts: dict[int, SlotPart] = {}
        self.result_of: Call | Pure | None = None  # set by a call that was not inlined
        self.declared: Parameter | None = None  # of a kernel
        self.fields: dict[tuple[int, int], Value] = {}  # values read from a kernel parameter
        self.object: MemoryObject | None = None  # once its address was taken

    def part(self, offset: int) -> SlotPart:
        """The variable for the bytes at `offset`."""
        part = self.parts.get(offset)
        if part is None:
            name = f"{self.name}+{offset}" if offset else self.name
            part = self.parts[offset] = SlotPart(name)
        return part


Thing = Any  # a Slot or a MemoryObject


class Frame:
    """The names of one PTX function body while it is lowered."""

    def __init__(self, function: Function, call_site: Location | None) -> None:
        self.function = function
        self.statements = function.body or ()
        self.rest = iter(enumerate(self.statements))  # what is still to be lowered
        self.index = 0  # of the statement being lowered
        # Registers that banks make at once: compilers number theirs densely.
        self._dense = 2 * len(self.statements) + 64
        self._inner = _MOST_INNER
        self.call_site = call_site
        self.origin: OriginLine | None = None
        self.inlined_at: Location | None = call_site
        self.registers: dict[Name | Number, Register] = {}
        self.latest: dict[Register, Value] = {}  # what was last assigned, in the order of the text
        self._single: SingleWrites | None = None
        self.vectors: dict[str, tuple[Name, ...]] = {}
        self.banks: dict[str, tuple[Type, int]] = {}
        self.things: dict[str, Thing] = {}
        self.labels = Labels(self.statements)
        self.scope = 0
        self.blocks: dict[LabelKey, Block] = {}
        self.seal_after: dict[int, list[LabelKey]] = {}  # last jumps back, by index
        for key, index in self.labels.last_use.items():
            if index > self.labels.positions[key]:
                self.seal_after.setdefault(index, []).append(key)
        self.exit: Block | None = None  # where `ret` goes, in an inlined function
        self.after: Block | None = None  # where a guarded call goes on
        self.results: list[tuple[Register, Operand]] = []  # copied to the caller at the end
        self._undo: list[list[tuple[dict[Any, Any], Any, Any]]] = []

    # ---- scopes ----------------------------------------------------------------------------

    def open_scope(self) -> None:
        """A `{`: later declarations are forgotten at the matching brace."""
        self.scope = self.labels.enter(self.index)
        self._undo.append([])

    def close_scope(self) -> None:
        """A `}`."""
        self.scope = self.labels.leave(self.scope)
        if self._undo:
            for table, key, old in reversed(self._undo.pop()):
                if old is None:
                    table.pop(key, None)
                else:
                    table[key] = old

    def declare(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        """Enter a name, to be forgotten with the innermost scope."""
        if self._undo:
            self._undo[-1].append((table, key, table.get(key)))
        table[key] = value

    # ---- registers -------------------------------------------------------------------------

    def declare_registers(self, statement: Registers, names: ModuleNames) -> None:
        """Enter a `.reg` statement; what is left out of a huge bank is made when it is used."""
        atoms = names.atoms
        type_ = type_of(statement.type.lstrip("."))
        width = bits(type_)
        for name, count in statement.names:
            if count is None and statement.vector:
                self._declare_vector(name.text, statement, atoms)
                continue
            if count is None:
                self.declare(self.registers, name, Register(name.text, type_, width))
                continue
            number = count.whole
            base = name.text
            if statement.vector:
                for index in range(self._inner_bank(number)):
                    self._declare_vector(f"{base}{index}", statement, atoms)
                continue
            if not self._undo:
                self.banks[base] = (type_, number)
            if not self._undo and self.call_site is None:
                known = names.bank(base, type_)
                self.registers.update(known.first(self._dense_bank(number), atoms))
            elif not self._undo:
                for index in range(self._dense_bank(number)):
                    one = atoms[f"{base}{index}"]
                    self.registers[one] = Register(one.text, type_, width)
            else:
                for index in range(self._inner_bank(number)):
                    one = atoms[f"{base}{index}"]
                    self.declare(self.registers, one, Register(one.text, type_, width))

    def _dense_bank(self, number: int) -> int:
        """How many registers of a bank are made at once; the others are when they are used."""
        made = min(number, self._dense)
        self._dense -= made
        return made

    def _inner_bank(self, number: int) -> int:
        """How many registers of a bank there are that no table keeps for later."""
        made = min(number, _LARGEST_INNER_BANK, self._inner)
        self._inner -= made
        return made

    def _declare_vector(self, base: str, statement: Registers, atoms: Atoms) -> None:
        """`.reg .v4 .f32 v`: registers v.x to v.w, which are also called v.r to v.a."""
        type_ = type_of(statement.type.lstrip("."))
        elements: list[Name] = []
        for letter, colour in list(zip("xyzw", "rgba", strict=True))[: int(statement.vector[2:])]:
            register = Register(f"{base}.{letter}", type_, bits(type_))
            elements.append(atoms.name(f"{base}.{letter}"))
            self.declare(self.registers, elements[-1], register)
            self.declare(self.registers, atoms.name(f"{base}.{colour}"), register)
        self.declare(self.vectors, base, tuple(elements))

    def register(self, name: Name) -> Register | None:
        """The register of a name; None when it is not declared."""
        found = self.registers.get(name)
        if found is not None:
            return found
        base = name.base.rstrip("0123456789")
        digits = name.base[len(base) :]
        if name.component and name.base != name.text:
            return None
        if digits and (digits == "0" or digits[0] != "0"):
            # `%r1<5>` makes %r10 to %r14: the split between base and number is not unique.
            for cut in range(max(0, len(digits) - _DIGITS), len(digits)):
                bank = self.banks.get(base + digits[:cut])
                number = digits[cut:]
                plain = number == "0" or number[0] != "0"
                if bank and plain and int(number) < bank[1]:
                    found = self.registers[name] = Register(name.text, bank[0], bits(bank[0]))
                    return found
        return None

    def holds(self, name: Name) -> bool:
        """Whether a register's latest value is the only one it can have at this statement."""
        if self._single is None:
            self._single = SingleWrites(self.statements, self.labels)
        return self._single.holds(name, self.index)

    def make_register(self, name: Name, type: Type) -> Register:
        """A register that nobody declared, so that reading can go on."""
        found = self.registers[name] = Register(name.text, type, bits(type))
        return found


def slot_of(declaration: ParameterDeclaration) -> Slot:
    """The slot for a parameter declared in PTX; its size is None for `name[]`."""
    element = type_of(declaration.type.lstrip("."))
    width = bits(element) // 8
    if declaration.vector:
        width *= int(declaration.vector[2:])
    size = array_size(width, declaration.extents)
    return Slot(declaration.name.text, element if element.bits else UINT32, size)
