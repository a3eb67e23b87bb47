"""What the factors of a product are made of: indices of threads and blocks, sizes, anything else.

In: a factor. Out: its leaves, through sums and products, and whether they let it grow as far as its
type goes. Not seen: what loads and other operations do to them.
"""

from __future__ import annotations

from enum import Enum
from itertools import islice
from typing import TYPE_CHECKING

from ...ir.operations import Convert, Opcode, Operation, Phi, unconverted
from ...ir.values import Constant, Special, SpecialRegister, Unknown
from ..dataflow.slices import backward_slice

if TYPE_CHECKING:
    from ...ir.values import Value


class Leaf(Enum):
    """What a factor of a product is made of, and how large it may get by that."""

    THREAD = "a thread's index in its block, or another small number"
    BLOCK_SIZE = "the size of a block"
    BLOCK_X = "the block's index along x, of 31 bits"
    BLOCK_YZ = "the block's index along y or z, of 16 bits"
    GRID_SIZE = "the size of the grid"
    CONSTANT = "known when compiling"
    COUNTER = "what a loop or a choice makes of it"
    RUN_TIME = "anything else"


_LEAVES = {
    Special.THREAD_X: Leaf.THREAD,
    Special.THREAD_Y: Leaf.THREAD,
    Special.THREAD_Z: Leaf.THREAD,
    Special.LANE: Leaf.THREAD,
    Special.WARP: Leaf.THREAD,
    Special.WARP_SIZE: Leaf.CONSTANT,
    Special.BLOCK_SIZE_X: Leaf.BLOCK_SIZE,
    Special.BLOCK_SIZE_Y: Leaf.BLOCK_SIZE,
    Special.BLOCK_SIZE_Z: Leaf.BLOCK_SIZE,
    Special.BLOCK_X: Leaf.BLOCK_X,
    Special.BLOCK_Y: Leaf.BLOCK_YZ,
    Special.BLOCK_Z: Leaf.BLOCK_YZ,
    Special.GRID_SIZE_X: Leaf.GRID_SIZE,
    Special.GRID_SIZE_Y: Leaf.GRID_SIZE,
    Special.GRID_SIZE_Z: Leaf.GRID_SIZE,
}
_SMALL = frozenset({Leaf.THREAD, Leaf.BLOCK_SIZE, Leaf.CONSTANT})
_PARTS_OF_POSITION = frozenset({Leaf.BLOCK_X, Leaf.BLOCK_YZ, *_SMALL})
_LOOKED_THROUGH = (Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.CONVERT)
_CUTTING = (Opcode.DIV, Opcode.REM, Opcode.AND, Opcode.SHR)
_MOST = 64  # operations below a factor


def leaves_of(factor: Value) -> frozenset[Leaf]:
    """What a factor of a product is made of, by sums and products."""
    parts = backward_slice(factor, through=lambda each: _leaf(each) is None)
    found = {_leaf(each) for each in islice(parts, _MOST)}
    return frozenset(Leaf.RUN_TIME if next(parts, None) else each for each in found if each)


def _leaf(value: Value) -> Leaf | None:
    """What a value is; None for sums and products, which are looked through."""
    if isinstance(value, SpecialRegister):
        return _LEAVES.get(value.register, Leaf.RUN_TIME)
    if isinstance(value, Constant) or (isinstance(value, Unknown) and not value.per_thread):
        return Leaf.CONSTANT
    if isinstance(value, Convert) and (value.source.bits or 0) <= 16:
        return Leaf.THREAD
    if isinstance(value, Phi):
        return Leaf.COUNTER
    if not isinstance(value, Operation) or value.opcode not in _CUTTING + _LOOKED_THROUGH:
        return Leaf.RUN_TIME
    if value.opcode in _LOOKED_THROUGH:
        return None
    return Leaf.THREAD if _leaves_small(value.operands[0]) else Leaf.RUN_TIME


def _leaves_small(value: Value) -> bool:
    """Whether what is divided or masked is a thread's index: `threadIdx.x / 32`."""
    index = unconverted(value)
    return isinstance(index, SpecialRegister) and _LEAVES.get(index.register) in _SMALL


def is_free(leaves: frozenset[Leaf]) -> bool:
    """Whether nothing bounds a factor of a product but its type."""
    return leaves == {Leaf.RUN_TIME} or leaves == {Leaf.RUN_TIME, Leaf.CONSTANT}


def is_position(leaves: frozenset[Leaf]) -> bool:
    """Whether a factor of a product says where in the grid a thread or block is."""
    return bool(leaves & {Leaf.BLOCK_X, Leaf.BLOCK_YZ}) and leaves <= _PARTS_OF_POSITION
