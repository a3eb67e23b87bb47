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

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

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
    from collections.abc import Iterator

    from .syntax import Function, Operand

_WIDTHS = {".pred": 0, ".b64": 2, ".u64": 2, ".s64": 2, ".f64": 2, ".b128": 4}
_NO_RESULT = frozenset([
    "st", "stu", "red", "bra", "brx", "bar", "barrier", "ret", "exit", "trap", "brkpt", "membar",
    "fence", "prefetch", "prefetchu", "call", "discard", "applypriority", "cp", "mbarrier", "wgmma",
    "nanosleep", "pmevent", "setmaxnreg", "griddepcontrol", "tensormap", "sust", "sured",
    "stackrestore",
])  # fmt: skip
_ADDING = frozenset({"add", "sub", "mad", "cvta"})
_FOLDED = frozenset({"mul", "cvt", "shl", "and"})
_INTEGER = frozenset([
    "add", "sub", "mul", "mad", "mul24", "mad24", "sad", "div", "rem", "abs", "neg", "min", "max",
    "shl", "shr", "and", "or", "xor", "not", "cvt", "mov", "selp", "cvta", "bfe", "bfi", "lop3",
    "prmt", "cnot", "popc", "clz", "shf", "setp",
])  # fmt: skip
_UNIFORM_SPECIALS = ("%ctaid", "%ntid", "%nctaid", "%gridid", "%cluster")


@dataclass(slots=True)
class Op:
    """One operation that is left; `mnemonic` and `modifiers` are those of its opcode.

    The pragma that a loop is not to be unrolled stands at its beginning, as an operation.
    """

    mnemonic: str
    modifiers: tuple[str, ...]
    writes: tuple[int, ...]
    reads: tuple[int, ...]


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


@dataclass(slots=True)
class _Raw:
    """An instruction with its registers, before anything is dropped."""

    instruction: Instruction
    mnemonic: str
    writes: tuple[int, ...]
    reads: tuple[int, ...]
    block: int


class _Reader:
    def __init__(self, function: Function) -> None:
        self._body = function.body or ()
        self._declared: dict[str, int] = {}
        self._numbers: dict[Name, int] = {}
        self._widths: list[int] = []
        self._kept: set[int] = set()  # blocks that begin a loop with the pragma "nounroll"
        self._raw: list[_Raw] = []
        self._code = Code()

    def read(self) -> Code:
        self._declare()
        self._collect()
        self._defined = [0] * len(self._widths)
        for raw in self._raw:
            for register in raw.writes:
                self._defined[register] += 1
        self._drop_dead()
        self._fold()
        self._code.declared = self._widths[:]
        self._mark_uniform()
        self._emit()
        self._code.widths = self._widths
        return self._code

    # ---- reading -------------------------------------------------------------------------------

    def _declare(self) -> None:
        for statement in self._body:
            if isinstance(statement, Registers):
                width = _WIDTHS.get(statement.type, 1)
                for name, _ in statement.names:
                    self._declared[name.text] = width

    def _number(self, name: Name) -> int | None:
        """The register of a name; None for what is none."""
        known = self._numbers.get(name)
        if known is not None:
            return known
        text = name.base
        width = self._declared.get(text)
        if width is None:
            width = self._declared.get(text.rstrip("0123456789"))
        if width is None:
            return None
        number = self._numbers[name] = len(self._widths)
        self._widths.append(width)
        return number

    def _read_registers(self, operands: tuple[Operand, ...]) -> list[int]:
        """The registers of operands; nearly all are names, or addresses with a name."""
        reads: list[int] = []
        numbers = self._numbers
        for operand in operands:
            name: object = operand
            if operand.__class__ is Address:
                name = operand.base if operand.base.__class__ is Name else None
            if name.__class__ is not Name:
                if operand.__class__ is not Number:
                    reads += self._registers(operand)
                continue
            number = numbers.get(name) or self._number(name)
            if number is not None:
                reads.append(number)
        return reads

    def _registers(self, operand: Operand) -> Iterator[int]:
        work: list[object] = [operand]
        while work:
            item = work.pop()
            if isinstance(item, Name):
                number = self._number(item)
                if number is not None:
                    yield number
            elif isinstance(item, tuple):
                work.extend(reversed(item))

    def _collect(self) -> None:
        """Blocks, their successors, and the registers of each instruction."""
        labels: dict[str, int] = {}
        targets: dict[str, list[str]] = {}
        jumps: list[tuple[int, list[str]]] = []
        code = self._code
        current: int | None = self._new_block()
        for statement in self._body:
            if isinstance(statement, Instruction):
                if current is None:
                    current = self._new_block()
                raw = self._read_instruction(statement, current)
                self._raw.append(raw)
                if raw.mnemonic in ("bra", "brx", "ret", "exit", "trap"):
                    names = [o.text for o in statement.operands if o.__class__ is Name]
                    jumps.append((current, names if raw.mnemonic in ("bra", "brx") else []))
                    previous, current = current, None
                    if statement.guard is not None:
                        current = self._new_block()
                        code.successors[previous].append(current)
            elif isinstance(statement, Label):
                following = self._new_block()
                if current is not None:
                    code.successors[current].append(following)
                labels[statement.name.text] = current = following
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

    def _read_instruction(self, statement: Instruction, block: int) -> _Raw:
        opcode, operands = statement.opcode, statement.operands
        mnemonic = opcode.mnemonic
        writes: tuple[int, ...] = ()
        rest = operands
        if mnemonic == "call":
            self._code.calls += [o.text for o in operands if o.__class__ is Name][:1]
            if operands and operands[0].__class__ is Arguments:
                writes, rest = tuple(self._registers(operands[0])), operands[1:]
        elif (
            operands
            and mnemonic not in _NO_RESULT
            and operands[0].__class__
            in (
                Name,
                Vector,
                Pair,
            )
        ):
            writes, rest = tuple(self._read_registers(operands[:1])), operands[1:]
        reads = self._read_registers(rest)
        if statement.guard is not None:
            predicate = self._number(statement.guard.predicate)
            if predicate is not None:
                reads.append(predicate)
            reads += writes  # what was there stays where the guard is false
        return _Raw(statement, mnemonic, writes, tuple(reads), block)

    # ---- cutting down --------------------------------------------------------------------------

    def _drop_dead(self) -> None:
        uses = [0] * len(self._widths)
        for raw in self._raw:
            for register in raw.reads:
                uses[register] += 1
        writers: dict[int, list[int]] = {}
        for index, raw in enumerate(self._raw):
            for register in raw.writes:
                writers.setdefault(register, []).append(index)
        dead = [False] * len(self._raw)
        work = [i for i, raw in enumerate(self._raw) if self._is_dead(raw, uses)]
        while work:
            index = work.pop()
            if dead[index]:
                continue
            dead[index] = True
            for register in self._raw[index].reads:
                uses[register] -= 1
                if not uses[register]:
                    work += [
                        i for i in writers.get(register, ()) if self._is_dead(self._raw[i], uses)
                    ]
        self._raw = [raw for index, raw in enumerate(self._raw) if not dead[index]]
        self._uses = uses

    @staticmethod
    def _is_dead(raw: _Raw, uses: list[int]) -> bool:
        if not raw.writes or any(uses[register] for register in raw.writes):
            return False
        return (
            raw.mnemonic not in ("atom", "call") and "volatile" not in raw.instruction.opcode.text
        )

    def _fold(self) -> None:
        """What an operation reads instead of a register that is folded away."""
        self._instead: dict[int, tuple[int, ...]] = {}
        only_adds, only_addresses = self._kinds_of_use()
        for raw in self._raw:
            if raw.instruction.guard is not None or not raw.writes:
                continue
            if raw.mnemonic == "mov" and self._unpacks(raw):
                self._instead.update(dict.fromkeys(raw.writes, raw.reads))
                continue
            if len(raw.writes) != 1:
                continue
            (target,) = raw.writes
            if self._defined[target] != 1 or any(self._defined[r] > 1 for r in raw.reads):
                continue
            mnemonic, text = raw.mnemonic, raw.instruction.opcode.text
            copy = mnemonic == "cvta" or (mnemonic == "mov" and len(raw.reads) == 1)
            scaled = mnemonic in _FOLDED and (text.endswith("64") or "wide" in text)
            scaled = scaled or (mnemonic == "cvt" and text.startswith(("cvt.s64", "cvt.u64")))
            offset = mnemonic == "add" and len(raw.reads) == 1 and text.endswith("64")
            folds = (scaled and target in only_adds) or (offset and target in only_addresses)
            packed = mnemonic == "mov" and raw.instruction.operands[1].__class__ is Vector
            if (copy and self._same_width(raw)) or folds or packed:
                self._instead[target] = raw.reads

    def _unpacks(self, raw: _Raw) -> bool:
        """Whether halves are cut from a whole register: instructions name halves for nothing."""
        return len(raw.writes) > 1 and all(
            self._defined[register] == 1 for register in (*raw.writes, *raw.reads)
        )

    def _same_width(self, raw: _Raw) -> bool:
        return bool(raw.reads) and self._widths[raw.writes[0]] == self._widths[raw.reads[0]]

    def _kinds_of_use(self) -> tuple[set[int], set[int]]:
        """Registers read only by 64-bit additions, and only as addresses."""
        elsewhere: set[int] = set()
        not_address: set[int] = set()
        numbers = self._numbers
        for raw in self._raw:
            reads = raw.reads
            if not reads:
                continue
            mnemonic = raw.mnemonic
            if mnemonic not in _ADDING or (
                mnemonic != "cvta" and not raw.instruction.opcode.text.endswith("64")
            ):
                elsewhere.update(reads)
            based = [
                numbers.get(operand.base)
                for operand in raw.instruction.operands
                if operand.__class__ is Address and operand.base.__class__ is Name
            ]
            if based:
                not_address.update([register for register in reads if register not in based])
            else:
                not_address.update(reads)
        everything = set(range(len(self._widths)))
        return everything - elsewhere, everything - not_address

    def _mark_uniform(self) -> None:
        """Registers that cost nothing: constants, parameters, and integers of these."""
        varying: set[int] = set()
        readers: dict[int, list[tuple[int, ...]]] = {}
        for raw in self._raw:
            if not raw.writes:
                continue
            if not self._may_be_uniform(raw):
                varying.update(raw.writes)
                continue
            for register in raw.reads:
                if register in readers:
                    readers[register].append(raw.writes)
                else:
                    readers[register] = [raw.writes]
        work = [*varying]
        while work:
            for writes in readers.get(work.pop(), ()):
                for register in writes:
                    if register not in varying:
                        varying.add(register)
                        work.append(register)
        self._code.uniform = self._widths[:]
        for register in range(len(self._widths)):
            if register not in varying:
                self._code.uniform[register] = 0
                if self._defined[register] == 1:
                    self._widths[register] = 0

    @staticmethod
    def _may_be_uniform(raw: _Raw) -> bool:
        mnemonic, opcode = raw.mnemonic, raw.instruction.opcode
        if mnemonic == "ld":
            return opcode.modifiers[:1] in (("param",), ("const",))
        if mnemonic not in _INTEGER:
            return False
        if mnemonic == "mov":
            sources = [o for o in raw.instruction.operands[1:] if o.__class__ is Name]
            specials = [o.text for o in sources if o.text.startswith("%") and not raw.reads]
            return all(text.startswith(_UNIFORM_SPECIALS) for text in specials)
        floating = any(word in ("f32", "f64", "f16", "f16x2", "bf16") for word in opcode.modifiers)
        return not floating

    def _emit(self) -> None:
        blocks = self._code.blocks
        for index in self._kept:
            blocks[index].append(Op("pragma", ("nounroll",), (), ()))
        instead = self._instead.keys()
        for raw in self._raw:
            if raw.writes and instead >= set(raw.writes):
                continue
            reads = raw.reads
            if not instead.isdisjoint(reads):
                reads = tuple([one for register in reads for one in self._resolved(register)])
            if len(reads) > 1:
                reads = tuple(dict.fromkeys(reads))
            modifiers = raw.instruction.opcode.modifiers
            blocks[raw.block].append(Op(raw.mnemonic, modifiers, raw.writes, reads))

    def _resolved(self, register: int) -> tuple[int, ...]:
        instead = self._instead.get(register)
        if instead is None:
            return (register,)
        found: list[int] = []
        work = list(instead)
        for _ in range(64):
            if not work:
                break
            one = work.pop()
            deeper = self._instead.get(one)
            if deeper is None:
                found.append(one)
            else:
                work += deeper
        return tuple(found)
