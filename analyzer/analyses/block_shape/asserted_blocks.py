"""The block that a kernel asserts it is run by: `assert(blockDim.x == 1024)`.

In: a kernel's facts. Out: the shape, and what asserts it; None where the kernel asserts nothing of
the kind, two different sizes along one axis, or none along an axis that it asks for its threads.
Axes that are not asked for have one thread.
Not handled: bounds (`blockDim.x >= 64`), products of axes, assertions by hand (`if (...) trap`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operation_kinds import Function
from ...ir.operations import Compare, Opcode, Operation, Pure, unconverted
from ...ir.values import SpecialRegister, whole_number
from ..block_execution.launch_values import BLOCK_SIZES, THREAD_INDEX
from ..dataflow.joined_conditions import joined_conditions
from ..launch.assumed_launch import can_be_launched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.kernel import Dimensions
    from ...ir.values import Value
    from ..block_execution.facts import BlockFacts


def asserted_block(facts: BlockFacts) -> tuple[Dimensions, Operation] | None:
    """The shape that the assertions of a kernel demand, and the first of them."""
    sizes: dict[int, set[int]] = {}
    first: Operation | None = None
    for call in facts.every(Pure):
        if call.function is Function.SHOWN:
            for axis, size in (each for value in call.operands for each in _demanded(value)):
                sizes.setdefault(axis, set()).add(size)
                first = first or call
    asked = {axis for axis, index in enumerate(THREAD_INDEX) if index in facts.registers}
    if first is None or not asked <= sizes.keys() or any(len(each) > 1 for each in sizes.values()):
        return None
    x, y, z = (min(sizes.get(axis, {1})) for axis in range(3))
    return ((x, y, z), first) if can_be_launched((x, y, z)) else None


def _demanded(condition: Value) -> Iterator[tuple[int, int]]:
    """The axes of blockDim that a condition wants to be numbers, and these."""
    for part, wanted in joined_conditions(unconverted(condition), 1):
        if not isinstance(part, Compare) or part.opcode is not (Opcode.EQ if wanted else Opcode.NE):
            continue
        one, other = map(unconverted, part.operands)
        for size, number in ((one, whole_number(other)), (other, whole_number(one))):
            if isinstance(size, SpecialRegister) and size.register in BLOCK_SIZES and number:
                yield BLOCK_SIZES.index(size.register), number
