"""How large a block of rows is, by where the next ones go on: `y = blockIdx.y * 16 + threadIdx.y`.

In: a kernel's facts, when nothing states its launch. Out: the block along x and y, with the store
that tells. Larger blocks would store over each other, smaller ones would leave gaps. It is asked of
kernels that know threadIdx along both axes and never ask for blockDim; all stores of global memory
that follow threads must agree, and so must the guards before them. Not taken for it: stores in
iterations of a loop, or at several places of one array, as there a thread may do the work of
several; stores that threads come to by their place in the block, as the others may store elsewhere;
blocks that are no whole warps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, Compare, MemoryAccess, Opcode, Operation, Phi
from ...ir.values import Special, SpecialRegister
from ..block_execution.launch_values import BLOCK_SIZES
from ..dataflow.affine import affine
from ..dataflow.slices import backward_slice
from ..launch.assumed_launch import MAX_THREADS
from ..warp_evaluation.lane_values import WARP
from .block_size_guesses import is_thread_index

if TYPE_CHECKING:
    from ...ir.block import Block
    from ...ir.memory import MemoryObject
    from ...ir.values import Value
    from ..block_execution.facts import BlockFacts

_AXES = ((Special.THREAD_X, Special.BLOCK_X), (Special.THREAD_Y, Special.BLOCK_Y))
_THREADS = frozenset(thread for thread, _ in _AXES)
_JOINING = frozenset({Opcode.AND, Opcode.OR, Opcode.NOT})
_OTHERS = frozenset({Special.THREAD_Z, Special.LANE, Special.WARP, *BLOCK_SIZES})


def neighbouring_tiles(facts: BlockFacts) -> tuple[tuple[int, int], MemoryAccess] | None:
    """The shape that the block must have, and the store that tells, as the next tiles go on behind
    it; None when none does, or they differ.
    """
    if _OTHERS & facts.registers or not facts.registers >= _THREADS:
        return None
    found: dict[tuple[int, int], MemoryAccess] = {}
    places: dict[MemoryObject | None, tuple[int, dict[Value, int]]] = {}
    for access in facts.accesses:
        if access.kind is not AccessKind.STORE or facts.points_to.spaces(access) == {Space.SHARED}:
            continue
        if not _asks(access.address):
            continue
        shape = _pitches(access.address)
        form = affine(access.address)
        place = (form.number, form.factors)
        item = facts.points_to.object_of(access)
        if shape is None or not _all_come(facts, access.block, shape):
            return None
        if places.setdefault(item, place) != place:
            return None  # a thread does the work of several
        found.setdefault(shape, access)
    if len(found) != 1:
        return None
    (x, y), store = next(iter(found.items()))
    return ((x, y), store) if x * y <= MAX_THREADS and x * y % WARP == 0 else None


def _asks(value: Value) -> bool:
    """Whether a thread's place in its block has a part in a value."""
    return any(map(is_thread_index, backward_slice(value)))


def _is(value: Value, *registers: Special) -> bool:
    return isinstance(value, SpecialRegister) and value.register in registers


def _pitches(value: Value) -> tuple[int, int] | None:
    """How many threads after a block the next one begins, along x and y; None where a value does
    not tell, or a loop has a part in it."""
    found: tuple[set[int], set[int]] = (set(), set())
    for each in backward_slice(value):
        if isinstance(each, Phi):
            return None
        if not isinstance(each, Operation) or each.opcode is not Opcode.ADD:
            continue
        form = affine(each)
        for axis, pitches in zip(_AXES, found, strict=True):
            pitch = form.pitch(*axis)
            if pitch is not None:
                pitches.add(pitch)
    (xs, ys) = found
    return (xs.pop(), ys.pop()) if len(xs) == len(ys) == 1 else None


def _all_come(facts: BlockFacts, block: Block, shape: tuple[int, int]) -> bool:
    """Whether threads are distinguished on the way only by their number in the grid."""
    return all(_is_of_grid(condition, shape) for condition in facts.flow.conditions(block))


def _is_of_grid(condition: Value, shape: tuple[int, int]) -> bool:
    """Whether nothing but a thread's number in the grid, if that, has a part in a decision."""
    if not _asks(condition):
        return True
    if isinstance(condition, Compare):
        return all(_is_in_grid(side, shape) for side in condition.operands)
    if not isinstance(condition, Operation) or condition.opcode not in _JOINING:
        return False
    return all(_is_of_grid(each, shape) for each in condition.operands)


def _is_in_grid(side: Value, shape: tuple[int, int]) -> bool:
    """Whether a value counts the threads of the grid along an axis, or none of them."""
    form = affine(side)
    if any(_asks(part) and not _is(part, *_THREADS) for part in form.factors):
        return False
    return all(
        form.of(block) == form.of(thread) * size
        for (thread, block), size in zip(_AXES, shape, strict=True)
    )
