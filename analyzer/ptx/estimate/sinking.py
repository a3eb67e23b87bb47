"""Values computed where they are needed: what ptxas moves down to save registers.

In: blocks of operations and where each goes on. Out: the same blocks, with every load and
computation moved to the last block that all its readers lie behind (the nearest common dominator,
as in Click, "Global Code Motion, Global Value Numbering", 1995), but not into a loop that it stood
outside of. A computation stays where moving it would keep more registers alive than it frees. No
load passes a store of its own block; stores in blocks between the two are not looked at: what comes
out is for counting registers only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.dominators import dominators_of_edges

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .operations import Op

_STAYS = -1  # instead of a block
_FEW = 2  # blocks, of which one can only be the first


def sink(blocks: list[list[Op]], successors: list[list[int]], widths: Sequence[int]) -> None:
    """Move PTX operations down to where their values are needed, block by block."""
    if len(blocks) < _FEW:
        return
    sinking = _Sinking(blocks, successors, widths)
    moved: list[list[Op]] = [[] for _ in blocks]
    for index, block in enumerate(blocks):
        kept: list[Op] = []
        going: dict[int, list[Op]] = {}
        stored = False  # whether something after it may change memory
        for op in reversed([*moved[index], *block] if moved[index] else block):
            kind = op.kind
            target = _STAYS
            if op.writes and not kind.stays and not (stored and kind.loads):
                target = sinking.target(op, index)
            if target == _STAYS:
                kept.append(op)
                stored = stored or kind.stores
                continue
            going.setdefault(target, []).append(op)
            sinking.move(op, index, target)
        if going or moved[index]:
            blocks[index] = kept[::-1]
        for target, ops in going.items():
            moved[target] = ops[::-1] + moved[target]


class _Sinking:
    """Where each register is read, and where the blocks lie."""

    def __init__(
        self, blocks: list[list[Op]], successors: list[list[int]], widths: Sequence[int]
    ) -> None:
        self._widths = widths
        self._above = dominators_of_edges(successors).parent
        self._nests = list(_nests(successors))
        self._again: set[int] = set()  # registers that are written more than once
        self._readers: dict[int, dict[int, int]] = {}  # how often each block reads a register
        written: set[int] = set()
        for index, block in enumerate(blocks):
            for op in block:
                for register in op.writes:
                    (self._again if register in written else written).add(register)
                for register in op.reads:
                    counts = self._readers.setdefault(register, {})
                    counts[index] = counts.get(index, 0) + 1
        self._depths = {0: 0}
        self._leaps = {0: 0}  # a block far above each, so that few steps lead to any above

    def target(self, op: Op, index: int) -> int:
        """The block that an operation of a block goes to."""
        again = self._again
        if not (again.isdisjoint(op.writes) and again.isdisjoint(op.reads)):
            return _STAYS
        target = _STAYS
        for register in op.writes:
            for reader in self._readers.get(register, ()):
                target = reader if target == _STAYS else self._above_both(target, reader)
                if target in (_STAYS, index):
                    return _STAYS
        while target > index and self._nests[target] != self._nests[index]:
            target = self._above[target]
        if target <= index or (not op.kind.loads and self._costs(op, index, target)):
            return _STAYS
        return target

    def _above_both(self, first: int, second: int) -> int:
        """The nearest block that both lie behind, in steps that grow like a logarithm of the depth
        (Myers, "An applicative random-access stack", 1983).
        """
        above, leaps, depths = self._above, self._leaps, self._depths
        if above[first] < 0 or above[second] < 0:
            return _STAYS  # nothing comes there
        if self._depth(first) < self._depth(second):
            first, second = second, first
        while depths[first] > depths[second]:
            far = leaps[first]
            first = far if depths[far] >= depths[second] else above[first]
        while first != second:
            step = leaps if leaps[first] != leaps[second] else above
            first, second = step[first], step[second]
        return first

    def _depth(self, block: int) -> int:
        path: list[int] = []
        while block not in self._depths:
            path.append(block)
            block = self._above[block]
        depths, leaps = self._depths, self._leaps
        for one in reversed(path):
            leap = leaps[block]
            alike = depths[block] - depths[leap] == depths[leap] - depths[leaps[leap]]
            leaps[one] = leaps[leap] if alike else block
            depths[one] = depths[block] + 1
            block = one
        return depths[block]

    def _costs(self, op: Op, index: int, target: int) -> bool:
        """Whether what it reads, and nobody reads from there on, is wider than what it writes."""
        widths, cost = self._widths, 0
        for register in op.reads:
            readers = self._readers[register]
            if not any(reader != index and reader >= target for reader in readers):
                cost += widths[register]
        return cost > sum([widths[register] for register in op.writes])

    def move(self, op: Op, index: int, target: int) -> None:
        """Note where it reads now."""
        for register in op.reads:
            counts = self._readers[register]
            counts[index] -= 1
            if not counts[index]:
                del counts[index]
            counts[target] = counts.get(target, 0) + 1


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
