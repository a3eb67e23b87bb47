"""Functions of one value in 32 lanes: negation, complement, the bit intrinsics; who is in them.

In: an operation and its operand. Out: the result, or None where it is not representable.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ...ir.arithmetic import evaluate as evaluate_number
from ...ir.operation_kinds import Function
from ...ir.operations import Opcode
from ...ir.types import PREDICATE, Kind
from ...ir.values import Special
from .lane_values import WARP, LaneValue, constant, multiply, subtract

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...ir.kernel import Dimensions
    from ...ir.operations import Operation, Pure

#: `%lanemask_eq` and its like, for a lane.
LANE_MASKS: dict[Special, Callable[[int], int]] = {
    Special.LANE_MASK_EQ: lambda lane: 1 << lane,
    Special.LANE_MASK_LE: lambda lane: (2 << lane) - 1,
    Special.LANE_MASK_LT: lambda lane: (1 << lane) - 1,
    Special.LANE_MASK_GE: lambda lane: 0xFFFFFFFF & ~((1 << lane) - 1),
    Special.LANE_MASK_GT: lambda lane: 0xFFFFFFFF & ~((2 << lane) - 1),
}
_BIT_FUNCTIONS: dict[Function, Callable[[int, int], int]] = {
    Function.COUNT_ONES: lambda value, bits: value.bit_count(),
    Function.LEADING_ZEROS: lambda value, bits: bits - value.bit_length(),
    Function.REVERSED_BITS: lambda value, bits: int(f"{value:0{bits}b}"[::-1], 2),
    Function.FIRST_ONE: lambda value, bits: (value & -value).bit_length(),
}


def negated(value: LaneValue) -> LaneValue:
    """A value with its sign changed, in every lane of a warp."""
    scaled = multiply(value, constant(-1))
    assert scaled is not None
    return scaled


def unary(operation: Operation, value: LaneValue) -> LaneValue | None:
    """NOT, NEG or ABS of a value in 32 lanes."""
    if value.is_number:
        type = PREDICATE if operation.type is PREDICATE else operation.type
        numbers = [evaluate_number(operation.opcode, type, (lane,)) for lane in value.lanes]
        known = [number for number in numbers if number is not None]
        return LaneValue(tuple(known)) if len(known) == WARP else None
    if operation.opcode is Opcode.NOT and operation.type.kind is Kind.INTEGER:
        return subtract(negated(value), constant(1))  # two's complement: ~x == -x - 1
    return negated(value) if operation.opcode is Opcode.NEG else None


def bit_function(operation: Pure, operands: list[LaneValue]) -> LaneValue | None:
    """What `__popc`, `__clz`, `__brev` and their PTX instructions give in the 32 lanes of
    a warp.
    """
    function = function_of_bits(operation)
    if function is None or not operands[0].is_number:
        return None
    return LaneValue(tuple(map(function, operands[0].lanes)))


def function_of_bits(operation: Pure) -> Callable[[int], int] | None:
    """What a bit intrinsic, evaluated in a lane, makes of a number; None for other operations."""
    function = _BIT_FUNCTIONS.get(operation.function)
    if function is None or len(operation.operands) != 1:
        return None
    bits = operation.operands[0].type.bits or 32
    mask = (1 << bits) - 1
    return lambda number: function(number & mask, bits)


@lru_cache(maxsize=128)
def threads_of(block: Dimensions, warp: int) -> tuple[tuple[int, int, int], ...]:
    """threadIdx of each lane of a warp; lanes beyond the block repeat the last thread."""
    x, y, z = block
    last = x * y * z - 1
    flat = [min(warp * WARP + lane, last) for lane in range(WARP)]
    return tuple((n % x, n // x % y, n // (x * y)) for n in flat)


@lru_cache(maxsize=128)
def existing(threads: int, warp: int) -> tuple[bool, ...]:
    """Which lanes of a warp hold a thread of the block."""
    return tuple(warp * WARP + lane < threads for lane in range(WARP))
