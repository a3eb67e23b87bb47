"""Blocks as ptxas schedules them: small branches become predicated code, values move to their use.

In: a `Code` as it was read. Out: a `Code` with fewer and longer blocks: a block that only one block
jumps to is joined to it, the arms of small `if`s run under a predicate, and a load or computation
whose result only one later block needs is done there, unless that block is in a loop that the
first one is not in. The registers of guards cost nothing and are not followed through, and stores
in blocks between the two are not looked at: what comes out is for counting registers only.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .register_kinds import kind_of
from .register_ops import Op

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .register_ops import Code

_MOST_PREDICATED = 12  # operations of an arm that is still predicated
_TEMP, _STEP, _SLOW = kind_of("mov.u32"), kind_of("mad.lo.u32"), kind_of("rcp.approx.f32")
_NOWHERE, _SEVERAL = -1, -2  # instead of a block


def joined_blocks(code: Code) -> Code:
    """The code with its blocks joined and its values near their uses."""
    joiner = _Joiner(code)
    joiner.join()
    kept = [index for index, alive in enumerate(joiner.alive) if alive]
    number = {index: place for place, index in enumerate(kept)}
    blocks = [joiner.blocks[index] for index in kept]
    successors = [[number[one] for one in joiner.successors[index]] for index in kept]
    _sink(blocks, successors, len(code.widths))
    blocks = [_with_needs(block, code) for block in blocks]
    return replace(code, blocks=blocks, successors=successors)


def _with_needs(block: list[Op], code: Code) -> list[Op]:
    """With constants and reciprocals brought into registers before they are first needed."""
    seen: set[int] = set()
    found: list[Op] = []
    for op in block:
        needs = op.needs
        if needs and needs[0] in code.reciprocals:
            found += _division(op, code.reciprocals, seen)
            continue
        if needs:
            found += [Op(_TEMP, (need,), ()) for need in needs if need not in seen]
            seen.update(needs)
            op = Op(op.kind, op.writes, op.reads + needs, (), op.place)
        found.append(op)
    return found


def _division(op: Op, reciprocals: dict[int, tuple[int, ...]], seen: set[int]) -> list[Op]:
    """The steps of dividing integers: a reciprocal, a quotient, and what it is off by."""
    reciprocal, quotient, rest = op.needs
    found: list[Op] = []
    if reciprocal not in seen:
        seen.add(reciprocal)
        first, second, third, *divisors = reciprocals[reciprocal]
        by = tuple(divisors)
        found += [
            Op(_SLOW, (first,), by),
            Op(_SLOW, (second,), (first,)),
            Op(_SLOW, (third,), (second,)),
            Op(_STEP, (first,), (third, *by)),
            Op(_STEP, (reciprocal,), (first, third)),
        ]
    by = tuple(reciprocals[reciprocal][3:])
    return [
        *found,
        Op(_STEP, (quotient,), (reciprocal, *op.reads)),
        Op(_STEP, (rest,), (quotient, *op.reads)),
        Op(op.kind, op.writes, (quotient, rest, *by)),
    ]


class _Joiner:
    def __init__(self, code: Code) -> None:
        self.blocks = code.blocks[:]
        self.successors = [list(dict.fromkeys(one)) for one in code.successors]
        self.alive = [True] * len(self.blocks)
        self._predecessors: list[set[int]] = [set() for _ in self.blocks]
        for index, successors in enumerate(self.successors):
            for successor in successors:
                self._predecessors[successor].add(index)

    def join(self) -> None:
        """Until nothing changes; each change makes one block less."""
        work = list(range(len(self.blocks) - 1, -1, -1))
        while work:
            index = work.pop()
            if self.alive[index] and self._join_at(index):
                work += [index, *self._predecessors[index]]

    def _join_at(self, index: int) -> bool:
        successors = self.successors[index]
        if len(successors) == 1:
            return self._append(index, successors[0])
        if len(successors) != 2 or index in successors:
            return False
        first, second = successors
        for arm, end in ((first, second), (second, first)):
            if self.successors[arm] == [end] and end != index and self._is_arm(arm, index):
                self._predicate(index, [arm], end)
                return True
        ends = self.successors[first]
        both = self._is_arm(first, index) and self._is_arm(second, index)
        if both and len(ends) == 1 and ends == self.successors[second] and ends[0] not in (
            index, first, second,
        ):  # fmt: skip
            self._predicate(index, [first, second], ends[0])
            return True
        return False

    def _append(self, index: int, following: int) -> bool:
        if following in (0, index) or self._predecessors[following] != {index}:
            return False
        self.blocks[index] = [*_without_jump(self.blocks[index]), *self.blocks[following]]
        self.alive[following] = False
        self.successors[index] = self.successors[following]
        for one in self.successors[index]:
            self._predecessors[one].discard(following)
            self._predecessors[one].add(index)
        return True

    def _is_arm(self, arm: int, index: int) -> bool:
        block = self.blocks[arm]
        return (
            arm != 0
            and self._predecessors[arm] == {index}
            and len(block) <= _MOST_PREDICATED
            and all(op.kind.predicable for op in block)
        )

    def _predicate(self, index: int, arms: list[int], end: int) -> None:
        block = self.blocks[index]
        guard = block[-1].reads if block and block[-1].kind.mnemonic == "bra" else ()
        ops = _without_jump(block)
        for arm in arms:
            ops = ops + [_guarded(op, guard) for op in _without_jump(self.blocks[arm])]
            self.alive[arm] = False
            self._predecessors[end].discard(arm)
        self.blocks[index] = ops
        self.successors[index] = [end]
        self._predecessors[end].add(index)


def _guarded(op: Op, guard: tuple[int, ...]) -> Op:
    """The operation, waiting for what decides whether it runs."""
    return Op(op.kind, op.writes, op.reads + guard, op.needs, op.place)


def _without_jump(block: list[Op]) -> list[Op]:
    return block[:-1] if block and block[-1].kind.mnemonic == "bra" else block


# ---- values near their uses ----------------------------------------------------------------------


def _sink(blocks: list[list[Op]], successors: list[list[int]], registers: int) -> None:
    """Move what only one later block needs to the beginning of that block."""
    if len(blocks) < 2:
        return
    uses = _Uses(blocks, registers)
    only, again = uses.only, uses.written_again
    nests = list(_nests(successors))
    moved: list[list[Op]] = [[] for _ in blocks]
    for index, block in enumerate(blocks):
        kept: list[Op] = []
        going: dict[int, list[Op]] = {}
        stored = False  # whether something after it may change memory
        for op in reversed([*moved[index], *block] if moved[index] else block):
            kind = op.kind
            target = -1
            if len(op.writes) == 1 and not kind.stays and not (stored and kind.loads):
                target = only[op.writes[0]]
            if (
                target <= index
                or nests[target] != nests[index]
                or op.writes[0] in again
                or not again.isdisjoint(op.reads)
            ):
                kept.append(op)
                stored = stored or kind.stores
                continue
            going.setdefault(target, []).append(op)
            for register in op.reads:
                uses.move(register, index, target)
        if going:
            blocks[index] = kept[::-1]
        elif moved[index]:
            blocks[index] = [*moved[index], *block]
        for target, ops in going.items():
            moved[target] += ops[::-1]


class _Uses:
    """Which registers are written more than once, and in which blocks each is read."""

    def __init__(self, blocks: Sequence[list[Op]], registers: int) -> None:
        self.written_again: set[int] = set()
        self.only = [_NOWHERE] * registers  # the block that reads it, if it is one
        self._count = [0] * registers  # how often that block does
        self._several: dict[int, dict[int, int]] = {}  # the same, of what several blocks read
        only, count = self.only, self._count
        written: set[int] = set()
        for index, block in enumerate(blocks):
            for op in block:
                for register in op.writes:
                    if register in written:
                        self.written_again.add(register)
                    else:
                        written.add(register)
                for register in op.reads:
                    if only[register] == index:
                        count[register] += 1
                    elif only[register] == _NOWHERE:
                        only[register], count[register] = index, 1
                    else:
                        self._add(register, index)

    def _add(self, register: int, block: int) -> None:
        """One more read, in another block than the only one or in one of several."""
        counts = self._several.get(register)
        if counts is None:
            counts = self._several[register] = {self.only[register]: self._count[register]}
            self.only[register] = _SEVERAL
        counts[block] = counts.get(block, 0) + 1

    def move(self, register: int, source: int, target: int) -> None:
        """One read goes to another block."""
        if self.only[register] >= 0 and self._count[register] == 1:
            self.only[register] = target
            return
        self._add(register, target)
        counts = self._several[register]
        counts[source] -= 1
        if not counts[source]:
            del counts[source]
        if len(counts) == 1:
            del self._several[register]
            ((self.only[register], self._count[register]),) = counts.items()


def _nests(successors: list[list[int]]) -> Iterator[int]:
    """For each block the loops around it, as bits: jumps back in the order of the text."""
    changes = [0] * (len(successors) + 1)
    bit = 1
    for index, ones in enumerate(successors):
        for successor in ones:
            if successor <= index:
                changes[successor] ^= bit
                changes[index + 1] ^= bit
                bit <<= 1
    nest = 0
    for change in changes[:-1]:
        nest ^= change
        yield nest
