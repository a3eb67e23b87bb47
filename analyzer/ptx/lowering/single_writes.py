"""Registers that one statement alone writes, and where that value holds.

Compilers give nearly every register one value. Where the statement that writes it is on every path,
a read needs no search through the blocks before it and no phis on the way (`ir/builder.py`), which
for a kernel with many loops is most of the work of SSA construction.

In: a function's statements and its labels. Out: whether the only write of a register comes before a
statement on every path to it. Left to the search: registers that are written under a guard or by a
call, and functions with vector registers, parts of registers or statements that were not read.
Every instruction that writes registers names them in its first operand.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from ...ir.dominators import dominators_of_edges
from ..syntax.tree import Instruction, Name, Registers, Unread, written_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.dominators import DominatorTree
    from ..syntax.labels import Labels
    from ..syntax.tree import Statement

_JUMPS = frozenset({"bra", "brx", "ret", "exit", "trap"})


class SingleWrites:
    """The registers of one PTX function that are written once."""

    def __init__(self, statements: Sequence[Statement], labels: Labels) -> None:
        self._writes: dict[Name, int] = {}  # by which statement; -1 for several or unknown ones
        self._jumps: dict[int, bool] = {}  # whether control may also go on behind a jump
        if self._collect(statements) or any(name.component for name in self._writes):
            self._writes = {}
        targets = [target for found in labels.targets.values() for target in found]
        self._starts = sorted({0, *targets, *(index + 1 for index in self._jumps)})
        self._tree = self._dominators(labels.targets)

    def holds(self, name: Name, index: int) -> bool:
        """Whether every path to a statement comes through the only write of a register."""
        written = self._writes.get(name, -1)
        if not 0 <= written < index:
            return False
        return self._tree.dominates(self._region(written), self._region(index))

    def _collect(self, statements: Sequence[Statement]) -> bool:
        """Note writes and jumps; whether something else may write registers, too."""
        writes, disturbed = self._writes, False
        for index, statement in enumerate(statements):
            if statement.__class__ is Instruction:
                opcode, operands, guard, _, _ = statement
                mnemonic = opcode.mnemonic
                if mnemonic in _JUMPS:
                    self._jumps[index] = guard is not None
                elif operands:
                    first = operands[0]
                    known = guard is None and mnemonic != "call"
                    for name in (first,) if first.__class__ is Name else written_names(first):
                        writes[name] = index if known and name not in writes else -1
            elif statement.__class__ is Registers:
                disturbed |= bool(statement.vector)
            else:
                disturbed |= statement.__class__ is Unread
        return disturbed

    def _region(self, index: int) -> int:
        """The piece of straight code that a statement is in."""
        return bisect_right(self._starts, index) - 1

    def _dominators(self, targets: dict[int, list[int]]) -> DominatorTree:
        count = len(self._starts)
        successors: list[list[int]] = []
        for region in range(count):
            after = [region + 1] if region + 1 < count else []
            last = self._starts[region + 1] - 1 if after else -1
            jumps = [self._region(target) for target in targets.get(last, ())]
            successors.append(jumps + after if self._jumps.get(last, True) else jumps)
        return dominators_of_edges(successors)
