"""A function of PTX as registers and blocks, cut down to what will need physical registers.

In: a parsed function. Out: a `Code`: basic blocks of operations, each with the registers it writes
and reads, as small numbers, and the width of every register in units of 32 bits. Gone are: dead
code; copies and `cvta`; `mul.wide`, `cvt` and `shl.b64` that only scale an index for an address
(the hardware's IMAD.WIDE does both); constant offsets of addresses; constants, parameters, and
integers computed only from these and from block indices and sizes, which live in constant banks
and uniform registers and have width 0, as predicates do. Registers written more than once that
only ever hold such integers may or may not live in uniform registers: they have a width of their
own kind.

PTX by compilers is in SSA form but for loop variables; registers written more than once are never
folded or moved. Calls and branches that are computed end a block without known successors.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from ..source.records import dataclass
from .register_kinds import Kind, kind_of
from .syntax import (
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

if TYPE_CHECKING:
    from .syntax import Function, Operand

_WIDTHS = {".pred": 0, ".b64": 2, ".u64": 2, ".s64": 2, ".f64": 2, ".b128": 4}
_UNIFORM_SPECIALS = ("%ctaid", "%ntid", "%nctaid", "%gridid", "%cluster")
_DEEPEST = 64  # what is folded into what is folded…
_NOTHING: tuple[int, ...] = ()


@dataclass(slots=True, eq=False)
class Op:
    """One operation that is left.

    The pragma that a loop is not to be unrolled stands at its beginning, as an operation.
    """

    kind: Kind
    writes: tuple[int, ...]
    reads: tuple[int, ...]


#: Stands at the beginning of a loop that is not to be unrolled.
KEPT = Op(kind_of("pragma.nounroll"), _NOTHING, _NOTHING)


@dataclass(slots=True)
class Code:
    """The function; `successors` has the indices of blocks."""

    blocks: list[list[Op]] = field(default_factory=list)
    successors: list[list[int]] = field(default_factory=list)
    widths: list[int] = field(default_factory=list)
    declared: list[int] = field(default_factory=list)  # widths without the uniform ones at 0
    uniform: list[int] = field(default_factory=list)  # widths with all uniform ones at 0
    calls: list[str] = field(default_factory=list)


def read_code(function: Function) -> Code:
    """The function, cut down."""
    return _Reader(function).read()


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


class _Reader:
    def __init__(self, function: Function) -> None:
        self._body = function.body or ()
        self._numbers = _Numbers()
        self._widths = self._numbers.widths
        self._kept: set[int] = set()  # blocks that begin a loop with the pragma "nounroll"
        self._code = Code()
        self._again: set[int] = set()  # registers that are written more than once
        # Every operation, and by its index: its block, and what few of them have.
        self._ops: list[Op] = []
        self._block_of: list[int] = []
        self._guarded: set[int] = set()
        self._bases: dict[int, list[int]] = {}  # registers that are addresses
        self._packed: set[int] = set()  # the source is a vector
        self._varying: set[int] = set()  # copies of what differs between threads

    def read(self) -> Code:
        self._collect()
        self._written: set[int] = set()
        written = self._written
        for op in self._ops:
            for register in op.writes:
                if register in written:
                    self._again.add(register)
                else:
                    written.add(register)
        self._drop_dead()
        self._fold()
        self._code.declared = self._widths[:]
        self._mark_uniform()
        self._emit()
        self._code.widths = self._widths
        return self._code

    # ---- reading -------------------------------------------------------------------------------

    def _registers(self, operand: Operand) -> list[int]:
        """The registers anywhere in an operand."""
        found: list[int] = []
        work: list[object] = [operand]
        while work:
            item = work.pop()
            if item.__class__ is Name:
                number = self._numbers[item]
                if number >= 0:
                    found.append(number)
            elif isinstance(item, tuple):
                work.extend(reversed(item))
        return found

    def _collect(self) -> None:
        """Blocks, their successors, and the registers of each instruction."""
        labels: dict[str, int] = {}
        targets: dict[str, list[str]] = {}
        jumps: list[tuple[int, list[str]]] = []
        code, block_of = self._code, self._block_of
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
            elif statement.__class__ is Registers:
                width = _WIDTHS.get(statement.type, 1)
                for declared, _ in statement.names:
                    self._numbers.declared[declared.text] = width
            elif isinstance(statement, Directive):
                if current is not None and "nounroll" in statement.text:
                    self._kept.add(current)
            elif isinstance(statement, Targets):
                last = [name for name, block in labels.items() if block == current]
                listed = [name.text for name in statement.names]
                targets.update((name, listed) for name in last)
        for block, names in jumps:
            for name in names:
                for target in targets.get(name, [name]):
                    if target in labels:
                        code.successors[block].append(labels[target])

    def _new_block(self) -> int:
        self._code.blocks.append([])
        self._code.successors.append([])
        return len(self._code.blocks) - 1

    def _read_instruction(self, statement: Instruction) -> Kind:
        opcode, operands, guard, _, _ = statement
        kind = kind_of(opcode.text)
        numbers = self._numbers
        writes = _NOTHING
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
                    writes = tuple(self._registers(first))
                    operands = operands[1:]
                if kind.moves:
                    self._note_source(operands)
            elif kind.mnemonic == "call":
                self._code.calls += [o.text for o in operands if o.__class__ is Name][:1]
                if first.__class__ is Arguments:
                    writes = tuple(self._registers(first))
                    operands = operands[1:]
        for operand in operands:
            name: object = operand
            if operand.__class__ is Address:
                name = operand.base
                if name.__class__ is Name:
                    number = numbers[name]
                    if number >= 0:
                        reads.append(number)
                        self._bases.setdefault(len(self._ops), []).append(number)
            elif operand.__class__ is Name:
                number = numbers[operand]
                if number >= 0:
                    reads.append(number)
            elif operand.__class__ is not Number:
                reads += self._registers(operand)
        if guard is not None:
            self._guarded.add(len(self._ops))
            predicate = numbers[guard.predicate]
            if predicate >= 0:
                reads.append(predicate)
            reads += writes  # what was there stays where the guard is false
        self._ops.append(Op(kind, writes, tuple(reads)))
        return kind

    def _note_source(self, sources: tuple[Operand, ...]) -> None:
        """Of a copy: whether it is cut from a vector, and whether it differs between threads."""
        index = len(self._ops)
        source = sources[0] if sources else None
        if source.__class__ is Vector:
            self._packed.add(index)
        elif source.__class__ is Name and source.text.startswith("%"):
            varies = not source.text.startswith(_UNIFORM_SPECIALS)
            if varies and self._numbers[source] < 0:
                self._varying.add(index)

    # ---- cutting down --------------------------------------------------------------------------

    def _drop_dead(self) -> None:
        ops = self._ops
        uses = [0] * len(self._widths)
        for op in ops:
            for register in op.reads:
                uses[register] += 1
        unread = [
            index
            for index, op in enumerate(ops)
            if op.writes and not uses[op.writes[0]] and _is_dead(op, uses)
        ]
        self._dead: set[int] = set()
        if not unread:
            return
        writers: dict[int, list[int]] = {}
        for index, op in enumerate(ops):
            for register in op.writes:
                writers.setdefault(register, []).append(index)
        while unread:
            index = unread.pop()
            if index in self._dead:
                continue
            self._dead.add(index)
            for register in ops[index].reads:
                uses[register] -= 1
                if not uses[register]:
                    unread += [i for i in writers.get(register, ()) if _is_dead(ops[i], uses)]

    def _living(self) -> list[tuple[int, Op]]:
        dead = self._dead
        pairs = enumerate(self._ops)
        return [pair for pair in pairs if pair[0] not in dead] if dead else list(pairs)

    def _fold(self) -> None:
        """What an operation reads instead of a register that is folded away."""
        self._alive = self._living()
        self._instead: dict[int, tuple[int, ...]] = {}
        again, widths = self._again, self._widths
        in_sums, as_addresses = self._kinds_of_use()
        for index, op in self._alive:
            kind, writes = op.kind, op.writes
            if not (kind.copies or kind.scales or kind.offsets) or not writes:
                continue
            if index in self._guarded or not again.isdisjoint(op.reads):
                continue
            if len(writes) > 1:
                # Halves cut from a whole register: instructions name halves for nothing.
                if kind.moves and again.isdisjoint(writes):
                    self._instead.update(dict.fromkeys(writes, op.reads))
                continue
            (target,) = writes
            if target in again:
                continue
            if kind.copies:
                copy = not kind.moves or len(op.reads) == 1
                same = bool(op.reads) and widths[target] == widths[op.reads[0]]
                folds = (copy and same) or index in self._packed
            elif kind.scales:
                folds = bool(in_sums[target])
            else:
                folds = len(op.reads) == 1 and bool(as_addresses[target])
            if folds:
                self._instead[target] = op.reads

    def _kinds_of_use(self) -> tuple[bytearray, bytearray]:
        """For each register, whether only 64-bit sums read it, and only addresses."""
        in_sums = bytearray(b"\1") * len(self._widths)
        as_addresses = bytearray(b"\1") * len(self._widths)
        for index, op in self._alive:
            reads = op.reads
            if not op.kind.adds:
                for register in reads:
                    in_sums[register] = 0
            bases = self._bases.get(index)
            if bases is None:
                for register in reads:
                    as_addresses[register] = 0
            elif len(reads) > len(bases):
                for register in reads:
                    if register not in bases:
                        as_addresses[register] = 0
        return in_sums, as_addresses

    def _mark_uniform(self) -> None:
        """Registers that cost nothing: constants, parameters, and integers of these."""
        varying = bytearray(len(self._widths))
        readers: dict[int, list[int]] = {}
        work: list[int] = []
        for index, op in self._alive:
            writes = op.writes
            if not writes:
                continue
            if op.kind.uniform and index not in self._varying:
                for register in op.reads:
                    if register in readers:
                        readers[register] += writes
                    else:
                        readers[register] = [*writes]
            else:
                for register in writes:
                    if not varying[register]:
                        varying[register] = 1
                        work.append(register)
        while work:
            for register in readers.get(work.pop(), _NOTHING):
                if not varying[register]:
                    varying[register] = 1
                    work.append(register)
        uniform = self._code.uniform = self._widths[:]
        once = self._written - self._again
        for register, varies in enumerate(varying):
            if not varies:
                uniform[register] = 0
                if register in once:
                    self._widths[register] = 0

    def _emit(self) -> None:
        blocks, block_of = self._code.blocks, self._block_of
        for index in self._kept:
            blocks[index].append(KEPT)
        instead = self._instead
        folded = instead.keys()
        for index, op in self._alive:
            writes = op.writes
            if writes and writes[0] in instead and (len(writes) == 1 or folded >= {*writes}):
                continue
            if instead and not folded.isdisjoint(op.reads):
                op.reads = tuple([one for register in op.reads for one in self._resolved(register)])
            if len(op.reads) > 1:
                op.reads = tuple(dict.fromkeys(op.reads))
            blocks[block_of[index]].append(op)

    def _resolved(self, register: int) -> tuple[int, ...]:
        instead = self._instead.get(register)
        if instead is None:
            return (register,)
        found: list[int] = []
        work = list(instead)
        for _ in range(_DEEPEST):
            if not work:
                break
            one = work.pop()
            deeper = self._instead.get(one)
            if deeper is None:
                found.append(one)
            else:
                work += deeper
        return tuple(found)


def _is_dead(op: Op, uses: list[int]) -> bool:
    if not op.writes or op.kind.needed:
        return False
    return not sum([uses[register] for register in op.writes])
