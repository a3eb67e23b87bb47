"""A function of PTX as registers and blocks, cut down to what will need physical registers.

In: a parsed function. Out: a `Code`: basic blocks of operations, each with the registers it writes
and reads, as small numbers, and the width of every register in units of 32 bits. Gone are: dead
code; copies and `cvta`; `mul.wide`, `cvt` and `shl.b64` that only scale an index for an address
(the hardware's IMAD.WIDE does both); constant offsets of addresses; constants, parameters, and
integers computed only from these and from block indices and sizes, which live in constant banks
and uniform registers and have width 0, as predicates do. What operations need of these in registers
all the same is noted (constant_needs.py). Registers written more than once that
only ever hold such integers may or may not live in uniform registers: they have a width of their
own kind.

PTX by compilers is in SSA form but for loop variables; registers written more than once are never
folded or moved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .constant_needs import Folded, Needs
from .operations import KEPT
from .reading import Reading

if TYPE_CHECKING:
    from ..syntax.tree import Function
    from .operations import Code, Op

_NOTHING: tuple[int, ...] = ()


def read_code(function: Function) -> Code:
    """A PTX function, cut down to the operations and values that will need physical registers."""
    return _Cutter(Reading(function)).cut()


class _Cutter:
    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._ops, self._widths = reading.ops, reading.widths
        self._written: set[int] = set()
        self._again: set[int] = set()  # registers that are written more than once
        self._folded = Folded()

    def cut(self) -> Code:
        """Everything, in an order in which each step sees what is left."""
        for op in self._ops:
            for register in op.writes:
                if register in self._written:
                    self._again.add(register)
                else:
                    self._written.add(register)
        self._drop_dead()
        self._fold()
        code = self._reading.code
        code.declared = self._widths[:]
        self._mark_uniform()
        self._emit()
        code.widths = self._widths
        return code

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
        instead, reading = self._folded.instead, self._reading
        again, widths = self._again, self._widths
        in_sums, as_addresses = self._kinds_of_use()
        for index, op in self._alive:
            kind, writes = op.kind, op.writes
            if not (kind.copies or kind.scales or kind.offsets) or not writes:
                continue
            if index in reading.guarded or not again.isdisjoint(op.reads):
                continue
            if len(writes) > 1:
                # Halves cut from a whole register: instructions name halves for nothing.
                if kind.moves and again.isdisjoint(writes):
                    instead.update(dict.fromkeys(writes, op.reads))
                continue
            (target,) = writes
            if target in again:
                continue
            if kind.copies:
                copy = not kind.moves or len(op.reads) == 1
                same = bool(op.reads) and widths[target] == widths[op.reads[0]]
                packed = index in reading.packed
                folds = widths[target] > 1 if packed else copy and same
            elif kind.scales:
                folds = bool(in_sums[target])
                if folds and index in reading.factors:
                    self._folded.scales[target] = reading.factors[index]
            else:
                folds = len(op.reads) == 1 and bool(as_addresses[target])
                if folds:
                    self._folded.shifts[target] = reading.addends.get(index, 0)
            if folds:
                instead[target] = op.reads

    def _kinds_of_use(self) -> tuple[bytearray, bytearray]:
        """For each register, whether only 64-bit sums read it, and only addresses."""
        reading = self._reading
        in_sums = bytearray(b"\1") * len(self._widths)
        as_addresses = bytearray(b"\1") * len(self._widths)
        for index, op in self._alive:
            reads = op.reads
            if not op.kind.adds:
                for register in reads:
                    in_sums[register] = 0
            bases = reading.bases.get(index)
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
        reading = self._reading
        varying = bytearray(len(self._widths))
        readers: dict[int, list[int]] = {}
        work: list[int] = []
        for index, op in self._alive:
            writes = op.writes
            if not writes:
                continue
            if op.kind.uniform and index not in reading.varying:
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
        uniform = self._reading.code.uniform = self._widths[:]
        once = self._written - self._again
        for register, varies in enumerate(varying):
            if not varies:
                uniform[register] = 0
                if register in once:
                    self._widths[register] = 0

    def _emit(self) -> None:
        reading = self._reading
        blocks, block_of = reading.code.blocks, reading.block_of
        for index in reading.kept:
            blocks[index].append(KEPT)
        instead, resolved = self._folded.instead, self._folded.resolved
        folded = instead.keys()
        needs = Needs(reading, self._folded)
        special, scaled = reading.given.keys() | reading.bases.keys(), self._folded.scales.keys()
        for index, op in self._alive:
            writes = op.writes
            if writes and writes[0] in instead and (len(writes) == 1 or folded >= {*writes}):
                continue
            kind = op.kind
            if index in special or kind.divides or (kind.adds and not scaled.isdisjoint(op.reads)):
                needs.note(index, op)
            if instead and not folded.isdisjoint(op.reads):
                op.reads = tuple([one for register in op.reads for one in resolved(register)])
            if len(op.reads) > 1:
                op.reads = tuple(dict.fromkeys(op.reads))
            blocks[block_of[index]].append(op)


def _is_dead(op: Op, uses: list[int]) -> bool:
    if not op.writes or op.kind.needed:
        return False
    return not sum([uses[register] for register in op.writes])
