"""Sizes that guards hold the threads' indices against: they may be smaller than the block.

In: accesses of a kernel made ready to be run. Out: whether their addresses are made of nothing but
indices that guards hold against sizes, and of such sizes: `i <= n`, `y < h / 2`, with indices and
constants on one side and sizes on the other. What shows up for small sizes then shows up in every
launch whose last block is not full. A width that no guard names may well be a multiple of the
block, and so may the part of an index that no guard looks at; a size inside of an index,
`y * w + x < n`, says nothing of the index's parts: such sizes are none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.arithmetic import MIRRORED, NEGATED
from ...ir.operations import Compare, MemoryAccess, Opcode, unconverted
from ..block_execution.launch_values import BLOCK_INDEX, is_block_index
from ..dataflow.slices import backward_slice, registers_in
from ..pointers.provenance import orders
from .block_size_guesses import is_thread_index

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ...ir.kernel import PartialDimensions
    from ...ir.values import Value
    from ..block_execution.block_program import BlockProgram

_BELOW = frozenset({Opcode.LT, Opcode.LE})


class SizeGuards:
    """The guards of one kernel, in a launch, that hold threads' indices against sizes nobody
    states.
    """

    def __init__(self, program: BlockProgram, grid: PartialDimensions) -> None:
        self._program = program
        self._grid = grid
        self._placed: dict[MemoryAccess, set[Value]] = {}
        self._guarding: dict[MemoryAccess, set[Value]] = {}
        self._indices: dict[MemoryAccess, set[Value]] = {}

    def hold(self, *accesses: MemoryAccess) -> bool:
        """Whether guards ask for all that the addresses are made of."""
        wanted = {each for access in accesses for each in self._numbers(access)}
        return bool(wanted) and all(
            wanted <= self._sizes(access) and self._is_guarded(access) for access in accesses
        )

    def kind(self, access: MemoryAccess) -> Hashable:
        """All that decides with what other accesses guards hold an access."""
        sizes = self._sizes(access)
        return frozenset(self._numbers(access)), frozenset(sizes), self._is_guarded(access)

    def let_whole_blocks(self, condition: Value, wanted: int) -> bool:
        """Whether a condition keeps no block from a way but those at an edge of the data: it holds
        where a place in the grid stays below a size, `y + 1 < rows`.
        """
        if not isinstance(condition, Compare) or not orders(condition):
            return False
        opcode = condition.opcode if wanted else NEGATED[condition.opcode]
        place, size = condition.operands[:2]
        if self._program.depends_on_assumed(place):
            place, size, opcode = size, place, MIRRORED[opcode]
        return (
            opcode in _BELOW
            and not self._program.depends_on_assumed(place)
            and not registers_in(size)
            and self._numbers_blocks(place)
        )

    def _numbers_blocks(self, place: Value) -> bool:
        """Whether an index counts blocks along an axis, of which there may be several."""
        registers = [each.register for each in backward_slice(place) if is_block_index(each)]
        return any(self._grid[BLOCK_INDEX.index(each)] != 1 for each in registers)

    def _is_guarded(self, access: MemoryAccess) -> bool:
        """Whether no index of threads or blocks is in an address but as guards compare it."""
        guarded = self._indices[access]
        return not any(
            (is_thread_index(each) or is_block_index(each)) and each not in guarded
            for each in backward_slice(
                access.address, through=lambda each: unconverted(each) not in guarded
            )
        )

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
        indices = self._indices[access] = set()
        flow = self._program.flow
        tests = {block for loop in flow.loops for block in loop.exits}
        found: set[Value] = set()
        for edge in flow.controlling_edges(access.block):
            for each in backward_slice(edge.branch.terminator.operands[0]):
                if not isinstance(each, Compare):
                    continue
                sizes = self._compared(each, indices)
                if sizes is None and edge.branch not in tests:
                    return set()
                found |= sizes or set()
        return found

    def _compared(self, comparison: Compare, indices: set[Value]) -> set[Value] | None:
        """The sizes an index is compared with; None where they are a part of the index."""
        sides = [self._assumed(operand) for operand in comparison.operands[:2]]
        if not any(sides):
            return set()
        if all(sides) or not orders(comparison):
            return None
        index = comparison.operands[int(bool(sides[0]))]
        if not registers_in(index):
            return set()
        indices.add(unconverted(index))
        return sides[0] or sides[1]

    def _assumed(self, value: Value) -> set[Value]:
        """The assumed numbers that a value is made of."""
        return {each for each in backward_slice(value) if self._program.is_assumed(each)}
