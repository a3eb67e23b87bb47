"""Values that a launch gives: blockIdx, the sizes of the grid, parameters and their members."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from ...ir.operations import Field, Opcode, Phi
from ...ir.values import Parameter, Special, SpecialRegister
from ..dataflow.slices import backward_slice
from ..warp_evaluation.lane_values import WARP

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ...ir.values import Value
    from ..launch.assumed_launch import AssumedLaunch

THREAD_INDEX = (Special.THREAD_X, Special.THREAD_Y, Special.THREAD_Z)
BLOCK_INDEX = (Special.BLOCK_X, Special.BLOCK_Y, Special.BLOCK_Z)
BLOCK_SIZES = (Special.BLOCK_SIZE_X, Special.BLOCK_SIZE_Y, Special.BLOCK_SIZE_Z)
GRID_SIZES = (Special.GRID_SIZE_X, Special.GRID_SIZE_Y, Special.GRID_SIZE_Z)
_OF_WARP = (Special.LANE, Special.WARP_SIZE)


def assumed_name(value: Value) -> Hashable:
    """A value's name among the numbers assumed for a run: members of a parameter have one each."""
    return member_of(value) or value


def member_of(value: Value) -> tuple[Parameter, int] | None:
    """The parameter of a launch that a value is a member of, perhaps of a member, and where it lies
    in it.
    """
    offset = 0
    while isinstance(value, Field) and value.opcode is Opcode.EXTRACT:
        offset += value.offset
        value = value.operands[0]
        if isinstance(value, Parameter):
            return value, offset
    return None


def greatest_of(register: Special, launch: AssumedLaunch, blocks: int) -> int | None:
    """The greatest number in a register of a launch, with so many blocks along an axis of the grid
    where it does not say.
    """
    if register in THREAD_INDEX:
        return launch.block[THREAD_INDEX.index(register)] - 1
    if register in BLOCK_SIZES:
        return launch.block[BLOCK_SIZES.index(register)]
    if register in BLOCK_INDEX:
        size = launch.grid[BLOCK_INDEX.index(register)]
        return (blocks if size is None else size) - 1
    if register is Special.WARP:
        return (launch.threads - 1) // WARP
    return WARP - (register is Special.LANE) if register in _OF_WARP else None


def lies_by_grid(address: Value) -> bool:
    """Whether the size of the launch's grid has a part in an address other than as the step of a
    loop.
    """
    return any(
        isinstance(each, SpecialRegister) and each.register in GRID_SIZES
        for each in backward_slice(address, through=lambda each: not isinstance(each, Phi))
    )


def is_block_index(value: Value) -> TypeGuard[SpecialRegister]:
    """Whether a value of the launch, a special register, is blockIdx along one axis."""
    return isinstance(value, SpecialRegister) and value.register in BLOCK_INDEX
