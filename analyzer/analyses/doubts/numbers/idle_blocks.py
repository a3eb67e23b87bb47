"""Threads behind the edge of the data, where the stated grid has whole blocks behind it.

In: two accesses of a block that meet, of a launch whose grid is stated. Out: whether one of them is
for threads at or behind an edge, `if (y >= rows - 20)`, and the number assumed for that size ends
before the last block of the grid begins: the host that states 20 rows of 24 threads has not 44 rows
of data, and its blocks come to the edge elsewhere, or nowhere. What threads before the edge do
(`if (i < n)`) is the same for a larger number. Not handled: indices that loops lead along, sizes in
memory, edges that several sizes make, conditions joined by `&&` into one value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.arithmetic import MIRRORED, NEGATED
from ....ir.operations import Compare, MemoryAccess, Opcode, Phi
from ....ir.values import Parameter, SpecialRegister
from ...block_execution.launch_values import BLOCK_INDEX, THREAD_INDEX
from ...dataflow.slices import backward_slice
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ....ir.values import Value
    from ...launch.assumed_launch import AssumedLaunch
    from ..question.candidates import BlockCandidate


def _is_behind_the_data(candidate: BlockCandidate) -> bool:
    """Whether an access is for threads behind an edge that comes before whole blocks."""
    if all((size or 1) < 2 for size in candidate.launch.grid):
        return False
    numbers = dict(
        candidate.context.assumed_by(candidate.run.numbers, candidate.accesses, loops=True)
    )
    return any(
        _ends_early(candidate.launch, index, edge, numbers)
        for access in candidate.accesses
        for index, edge in _edges(candidate, access)
    )


def _edges(candidate: BlockCandidate, access: MemoryAccess) -> Iterator[tuple[Value, Value]]:
    """What must be at or behind what, for a thread to come to an access."""
    for way in candidate.context.program.flow.controlling_edges(access.block):
        if way.condition is None:
            continue
        comparison, holds = way.condition
        if not isinstance(comparison, Compare):
            continue
        opcode = comparison.opcode if holds else NEGATED[comparison.opcode]
        left, right = comparison.operands
        if opcode in (Opcode.GE, Opcode.GT):
            yield left, right
        elif MIRRORED[opcode] in (Opcode.GE, Opcode.GT):
            yield right, left


def _ends_early(
    launch: AssumedLaunch, index: Value, edge: Value, numbers: Mapping[Value, int]
) -> bool:
    """Whether the last block along the axis of an index begins behind the only size of an edge."""
    made, parts = (tuple(backward_slice(each)) for each in (index, edge))
    if any(isinstance(each, Phi | MemoryAccess) for each in made + parts):
        return False
    registers = {each.register for each in made if isinstance(each, SpecialRegister)}
    axes = [axis for axis, register in enumerate(BLOCK_INDEX) if register in registers]
    sizes = {each for each in made + parts if isinstance(each, Parameter)}
    if len(axes) != 1 or len(sizes) != 1 or not sizes <= numbers.keys():
        return False
    (axis,), (size,) = axes, sizes
    threads = launch.block[axis] if THREAD_INDEX[axis] in registers else 1
    return numbers[size] < ((launch.grid[axis] or 1) - 1) * threads


DOUBT = Doubt(
    "idle-blocks",
    Effect.POSSIBLE,
    "a thread only gets here behind the edge of the data, with a size too small for the grid",
    _is_behind_the_data,
)
