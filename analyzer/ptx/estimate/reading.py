"""The instructions of a function as operations on numbered registers, before anything is dropped.

In: a parsed function. Out: a `Reading`: the operations in the order of the text, the blocks they
are in, and, for the few that have it, what else stands in their operands: addresses, constants
that are stored or multiplied by, guards. Calls and branches that are computed end a block without
known successors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.tree import (
    Address,
    Arguments,
    Directive,
    Instruction,
    Label,
    Name,
    Number,
    Pair,
    Registers,
    Targets,
    Vector,
)
from .opcode_kinds import Kind, kind_of
from .operations import Code, Op

if TYPE_CHECKING:
    from ..syntax.tree import Function, Operand

_WIDTHS = {".pred": 0, ".b64": 2, ".u64": 2, ".s64": 2, ".f64": 2, ".b128": 4}
_UNIFORM_SPECIALS = ("%ctaid", "%ntid", "%nctaid", "%gridid", "%cluster")


class _Numbers(dict[Name, int]):
    """The register of each name, numbered as they are met; -1 for what is none."""

    def __init__(self) -> None:
        super().__init__()
        self.declared: dict[str, int] = {}
        self.widths: list[int] = []

    def __missing__(self, name: Name) -> int:
        text = name.base
        width = self.declared.get(text)
        if width is None:
            width = self.declared.get(text.rstrip("0123456789"))
        if width is None:
            number = -1
        else:
            number = len(self.widths)
            self.widths.append(width)
        self[name] = number
        return number


class Reading:
    """All operations of a PTX function; what few of them have is kept by their index."""

    def __init__(self, function: Function) -> None:
        self._body = function.body or ()
        self.numbers = _Numbers()
        self.widths = self.numbers.widths  # by register
        self.code = Code()  # its blocks are empty, their successors known
        self.kept: set[int] = set()  # blocks that begin a loop with the pragma "nounroll"
        self.ops: list[Op] = []
        self.block_of: list[int] = []
        self.guarded: set[int] = set()
        self.packed: set[int] = set()  # copies of a vector into one register
        self.varying: set[int] = set()  # copies of what differs between threads
        self.given: dict[int, tuple[Operand, ...]] = {}  # what a store or atomic operation takes
        self.bases: dict[int, list[int]] = {}  # registers that are addresses
        self.offsets: dict[int, int] = {}  # constants behind them
        self.addends: dict[int, int] = {}  # constants in 64-bit sums
        self.factors: dict[int, str] = {}  # constants that an index is scaled by
        self._collect()

    def _registers(self, operand: Operand) -> list[int]:
        """The registers anywhere in an operand."""
        found: list[int] = []
        work: list[object] = [operand]
        while work:
            item = work.pop()
            if item.__class__ is Name:
                number = self.numbers[item]
                if number >= 0:
                    found.append(number)
            elif isinstance(item, tuple):
                work.extend(reversed(item))
        return found

    def _collect(self) -> None:
        """Blocks, their successors, and the registers of each instruction."""
        labels: dict[str, int] = {}
        names_of: dict[int | None, str] = {}  # of blocks that begin with a label
        targets: dict[str, list[str]] = {}
        jumps: list[tuple[int, list[str]]] = []
        code, block_of = self.code, self.block_of
        current: int | None = self._new_block()
        for statement in self._body:
            if statement.__class__ is Instruction:
                if current is None:
                    current = self._new_block()
                block_of.append(current)
                kind = self._read_instruction(statement)
                if kind.last:
                    branches = kind.mnemonic in ("bra", "brx")
                    names = [o.text for o in statement.operands if o.__class__ is Name]
                    jumps.append((current, names if branches else []))
                    previous, current = current, None
                    if statement.guard is not None:
                        current = self._new_block()
                        code.successors[previous].append(current)
            elif statement.__class__ is Label:
                following = self._new_block()
                if current is not None:
                    code.successors[current].append(following)
                labels[statement.name.text] = current = following
                names_of[following] = statement.name.text
            elif statement.__class__ is Registers:
                width = _WIDTHS.get(statement.type, 1)
                for declared, _ in statement.names:
                    self.numbers.declared[declared.text] = width
            elif isinstance(statement, Directive):
                if current is not None and "nounroll" in statement.text:
                    self.kept.add(current)
            elif isinstance(statement, Targets) and current in names_of:
                targets[names_of[current]] = [name.text for name in statement.names]
        for block, names in jumps:
            for name in names:
                for target in targets.get(name, [name]):
                    if target in labels:
                        code.successors[block].append(labels[target])

    def _new_block(self) -> int:
        self.code.blocks.append([])
        self.code.successors.append([])
        return len(self.code.blocks) - 1

    def _read_instruction(self, statement: Instruction) -> Kind:
        opcode, operands, guard, _, _ = statement
        kind = kind_of(opcode.text)
        numbers = self.numbers
        writes: tuple[int, ...] = ()
        reads: list[int] = []
        if operands:
            first = operands[0]
            if kind.result:
                if first.__class__ is Name:
                    number = numbers[first]
                    if number >= 0:
                        writes = (number,)
                    operands = operands[1:]
                elif isinstance(first, Vector | Pair):
                    writes = self._results(first, kind)
                    operands = operands[1:]
                if kind.moves:
                    self._note_source(operands)
            elif kind.mnemonic == "call":
                self.code.calls += [o.text for o in operands if o.__class__ is Name][:1]
                if first.__class__ is Arguments:
                    writes = tuple(self._registers(first))
                    operands = operands[1:]
        for operand in operands:
            if operand.__class__ is Address:
                reads += self._read_address(operand)
            elif operand.__class__ is Name:
                number = numbers[operand]
                if number >= 0:
                    reads.append(number)
            elif operand.__class__ is not Number:
                reads += self._registers(operand)
        if guard is not None:
            self.guarded.add(len(self.ops))
            predicate = numbers[guard.predicate]
            if predicate >= 0:
                reads.append(predicate)
            reads += writes  # what was there stays where the guard is false
        if kind.gives:
            self.given[len(self.ops)] = operands
        elif kind.offsets and operands and operands[-1].__class__ is Number:
            self.addends[len(self.ops)] = operands[-1].whole
        elif kind.scales and operands and operands[-1].__class__ is Number:
            self.factors[len(self.ops)] = operands[-1].text
        self.ops.append(Op(kind, writes, tuple(reads)))
        return kind

    def _read_address(self, address: Address) -> list[int]:
        """The registers of an address: what it begins with, and coordinates in a texture."""
        found: list[int] = []
        base, offset = address.base, address.offset
        number = self.numbers[base] if base.__class__ is Name else -1
        if number >= 0:
            index = len(self.ops)
            found.append(number)
            self.bases.setdefault(index, []).append(number)
            if offset is None:
                self.offsets[index] = 0
            elif offset.__class__ is Number:
                self.offsets[index] = -offset.whole if "-" in address.joint else offset.whole
        for coordinates in address.rest:
            found += self._registers(coordinates)
        return found

    def _results(self, several: Operand, kind: Kind) -> tuple[int, ...]:
        """The registers of several results; those that only repeat others have no width."""
        registers = tuple(self._registers(several))
        if kind.filled:
            for repeated in registers[kind.filled :]:
                self.widths[repeated] = 0
        return registers

    def _note_source(self, sources: tuple[Operand, ...]) -> None:
        """Of a copy: whether it is cut from a vector, and whether it differs between threads."""
        index = len(self.ops)
        source = sources[0] if sources else None
        if source.__class__ is Vector:
            self.packed.add(index)
        elif source.__class__ is Name and source.text.startswith("%"):
            varies = not source.text.startswith(_UNIFORM_SPECIALS)
            if varies and self.numbers[source] < 0:
                self.varying.add(index)
