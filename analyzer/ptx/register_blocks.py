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

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .register_code import Code, Op

_MOST_PREDICATED = 12  # operations of an arm that is still predicated
_JUMPS = frozenset({"bra", "brx", "ret", "exit", "trap"})
_NOT_PREDICATED = _JUMPS - {"bra"} | frozenset([
    "bar", "barrier", "call", "atom", "membar", "fence", "cp", "mbarrier", "wgmma", "shfl", "vote",
    "mma", "wmma", "ldmatrix", "match", "redux",
])  # fmt: skip
_STORES = frozenset({"st", "red", "atom", "bar", "barrier", "call"})
_STAYS = _JUMPS | frozenset([
    "st", "red", "atom", "bar", "barrier", "call", "membar", "fence", "cp", "mbarrier", "wgmma",
    "shfl", "vote", "mma", "wmma", "ldmatrix", "match", "redux", "activemask", "tex", "tld4",
])  # fmt: skip


def joined_blocks(code: Code) -> Code:
    """The code with its blocks joined and its values near their uses."""
    joiner = _Joiner(code)
    joiner.join()
    kept = [index for index, alive in enumerate(joiner.alive) if alive]
    number = {index: place for place, index in enumerate(kept)}
    blocks = [joiner.blocks[index] for index in kept]
    successors = [[number[one] for one in joiner.successors[index]] for index in kept]
    _sink(blocks, successors)
    return replace(code, blocks=blocks, successors=successors)


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
            and not any(op.mnemonic in _NOT_PREDICATED for op in block)
        )

    def _predicate(self, index: int, arms: list[int], end: int) -> None:
        ops = _without_jump(self.blocks[index])
        for arm in arms:
            ops = ops + _without_jump(self.blocks[arm])
            self.alive[arm] = False
            self._predecessors[end].discard(arm)
        self.blocks[index] = ops
        self.successors[index] = [end]
        self._predecessors[end].add(index)


def _without_jump(block: list[Op]) -> list[Op]:
    return block[:-1] if block and block[-1].mnemonic == "bra" else block


# ---- values near their uses ----------------------------------------------------------------------


def _sink(blocks: list[list[Op]], successors: list[list[int]]) -> None:
    """Move what only one later block needs to the beginning of that block."""
    if len(blocks) < 2:
        return
    writes, readers = _writes_and_readers(blocks)
    nests = list(_nests(successors))
    moved: list[list[Op]] = [[] for _ in blocks]
    for index, block in enumerate(blocks):
        kept: list[Op] = []
        going: dict[int, list[Op]] = {}
        stored = False  # whether something after it may change memory
        for op in reversed([*moved[index], *block]):
            target = _target(op, index, writes, readers)
            held = stored and op.mnemonic == "ld" and op.modifiers[:1] != ("param",)
            if target is None or held or nests[target] != nests[index]:
                kept.append(op)
                stored = stored or op.mnemonic in _STORES
                continue
            going.setdefault(target, []).append(op)
            for register in op.reads:
                counts = readers[register]
                counts[target] = counts.get(target, 0) + 1
                counts[index] -= 1
                if not counts[index]:
                    del counts[index]
        blocks[index] = kept[::-1]
        for target, ops in going.items():
            moved[target] += ops[::-1]


def _target(
    op: Op, index: int, writes: dict[int, int], readers: dict[int, dict[int, int]]
) -> int | None:
    """The one later block that reads what `op` writes."""
    if len(op.writes) != 1 or op.mnemonic in _STAYS or "volatile" in op.modifiers:
        return None
    (register,) = op.writes
    blocks = readers.get(register, ())
    if writes[register] != 1 or len(blocks) != 1:
        return None
    if any(writes.get(one, 0) > 1 for one in op.reads):
        return None
    (target,) = blocks
    return target if target > index else None


def _writes_and_readers(
    blocks: Sequence[list[Op]],
) -> tuple[dict[int, int], dict[int, dict[int, int]]]:
    """How often each register is written, and how often each block reads it."""
    writes: dict[int, int] = {}
    readers: dict[int, dict[int, int]] = {}
    for index, block in enumerate(blocks):
        for op in block:
            for register in op.writes:
                writes[register] = writes.get(register, 0) + 1
            for register in op.reads:
                counts = readers.setdefault(register, {})
                counts[index] = counts.get(index, 0) + 1
    return writes, readers


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
