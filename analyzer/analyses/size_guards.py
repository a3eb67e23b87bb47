"""Sizes that guards hold the threads' indices against: they may be smaller than the block.

In: accesses of a kernel made ready to be run. Out: whether every assumed number in their addresses
is such a size: `i <= n`, `y < h / 2`, with nothing but indices and constants on one side and sizes
on the other. What shows up for small sizes then shows up in every launch whose last block is not
full. A width that no guard names may well be a multiple of the block, and one inside of an index,
`y * w + x < n`, says nothing of the index's parts: such sizes are none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.operations import Compare, MemoryAccess, Opcode
from ..ir.values import SpecialRegister
from .block_program import computed_from

if TYPE_CHECKING:
    from ..ir.values import Value
    from .block_program import BlockProgram

_ORDERS = frozenset({Opcode.LT, Opcode.LE, Opcode.GT, Opcode.GE})


class SizeGuards:
    """The guards of one kernel for one launch."""

    def __init__(self, program: BlockProgram) -> None:
        self._program = program
        self._placed: dict[MemoryAccess, set[Value]] = {}
        self._guarding: dict[MemoryAccess, set[Value]] = {}

    def hold(self, *accesses: MemoryAccess) -> bool:
        """Whether all assumed numbers in the addresses are sizes that guards ask for."""
        wanted = {each for access in accesses for each in self._numbers(access)}
        return bool(wanted) and all(wanted <= self._sizes(access) for access in accesses)

    def _numbers(self, access: MemoryAccess) -> set[Value]:
        """The assumed numbers that an access's address is made of."""
        if access not in self._placed:
            self._placed[access] = self._assumed(access.address)
        return self._placed[access]

    def _sizes(self, access: MemoryAccess) -> set[Value]:
        """What the guards of an access compare its indices with."""
        if access not in self._guarding:
            self._guarding[access] = self._find_sizes(access)
        return self._guarding[access]

    def _find_sizes(self, access: MemoryAccess) -> set[Value]:
        assert access.block is not None
        flow = self._program.flow
        tests = {block for loop in flow.loops for block in loop.exits}
        found: set[Value] = set()
        for edge in flow.controlling_edges(access.block):
            for each in computed_from(edge.branch.terminator.operands[0]):
                if not isinstance(each, Compare):
                    continue
                sizes = self._compared(each)
                if sizes is None and edge.branch not in tests:
                    return set()
                found |= sizes or set()
        return found

    def _compared(self, comparison: Compare) -> set[Value] | None:
        """The sizes an index is compared with; None where they are a part of the index."""
        sides = [self._assumed(operand) for operand in comparison.operands[:2]]
        if not any(sides):
            return set()
        if all(sides) or comparison.opcode not in _ORDERS:
            return None
        index = comparison.operands[int(bool(sides[0]))]
        if not any(isinstance(each, SpecialRegister) for each in computed_from(index)):
            return set()
        return sides[0] or sides[1]

    def _assumed(self, value: Value) -> set[Value]:
        """The assumed numbers that a value is made of."""
        return {each for each in computed_from(value) if self._program.is_assumed(each)}
