"""Blocks as ptxas schedules them: small branches become predicated code, values move to their use.

In: a `Code` as it was read. Out: a `Code` with fewer and longer blocks: a block that only one block
jumps to is joined to it, the arms of small `if`s run under a predicate, and a load or computation
whose result only later blocks need is done there (sinking.py). The registers of guards
cost nothing and are not followed through: what comes out is for counting registers only.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .opcode_kinds import kind_of
from .operations import ARM, Op
from .sinking import sink

if TYPE_CHECKING:
    from .operations import Code

_MOST_PREDICATED = 12  # operations of an arm that is still predicated
_MOST_PARTS = 400
_TEMP, _STEP, _SLOW = kind_of("mov.u32"), kind_of("mad.lo.u32"), kind_of("rcp.approx.f32")


def joined_blocks(code: Code) -> Code:
    """A PTX function's code with its blocks joined and its values near their uses."""
    joiner = _Joiner(code)
    joiner.join()
    kept = [index for index, alive in enumerate(joiner.alive) if alive]
    number = {index: place for place, index in enumerate(kept)}
    blocks = [joiner.blocks[index] for index in kept]
    successors = [[number[one] for one in joiner.successors[index]] for index in kept]
    sink(blocks, successors, code.widths)
    blocks, successors = _parted(blocks, successors)
    blocks = [_with_needs(block, code) for block in blocks]
    return replace(code, blocks=blocks, successors=successors)


def _parted(
    blocks: list[list[Op]], successors: list[list[int]]
) -> tuple[list[list[Op]], list[list[int]]]:
    """Blocks that end where a subroutine is called, or code with branches stands for one.

    Behind the first `_MOST_PARTS` of them they are left whole: all that lives is looked at in each.
    """
    parts: list[list[Op]] = []
    firsts: list[int] = []
    lasts: list[int] = []
    for block in blocks:
        firsts.append(len(parts))
        start = 0
        for place, op in enumerate(block[:-1], 1):
            if op.kind.parts and len(parts) - len(lasts) < _MOST_PARTS:
                parts.append(block[start:place])
                start = place
        parts.append(block[start:])
        lasts.append(len(parts) - 1)
    following = [[place + 1] for place in range(len(parts))]
    for last, ones in zip(lasts, successors, strict=True):
        following[last] = [firsts[one] for one in ones]
    return parts, following


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
            ops = [*ops, ARM] + [_guarded(op, guard) for op in _without_jump(self.blocks[arm])]
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
