"""Sizes that may be made for a block whose number of threads nobody states.

In: a decision of a kernel. Out: whether thread indices are compared with sizes that the whole block
may be, or fill whole warps of. `threadIdx.x < n` may mean all threads, and a loop in steps of the
grid with a barrier in it is written for multiples of the block. `if (i < n)` is not: of all threads
of the grid, some are the last; nor is a guard in a loop over the parts of a row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Barrier, Compare, MemoryAccess, Opcode, Operation, unconverted
from ...ir.values import Parameter, Special, SpecialRegister, whole_number
from ..block_execution.launch_values import BLOCK_SIZES, is_block_index
from ..dataflow.slices import backward_slice
from ..dataflow.value_numbering import alike
from ..launch.assumed_launch import MAX_THREADS
from ..pointers.provenance import comparisons
from ..warp_evaluation.lane_values import WARP
from .padded_sizes import is_padded

if TYPE_CHECKING:
    from collections.abc import Collection

    from ...ir.block import Block
    from ...ir.values import Value
    from ..block_execution.facts import BlockLaunch
    from ..dataflow.control_flow import ControlFlow, Loop

_THREAD = (Special.THREAD_X, Special.THREAD_Y, Special.THREAD_Z, Special.LANE, Special.WARP)


def may_suit_the_block(flow: ControlFlow, branch: Block, *, loops: bool = True) -> bool:
    """Whether the sizes in the decision at a block's end may be made for the threads there are, be
    it the decision about another iteration of a loop or, without `loops`, any other.
    """
    condition = branch.terminator.operands[0]
    if not asks_for_sizes(branch):
        return False
    if any(branch in flow.exit_decisions(loop) for loop in flow.loop_nest(branch)):
        return loops
    if any(map(_tells_threads_of_grid, comparisons(condition))):
        return False
    return not any(_repeats(flow, loop, condition) for loop in flow.loop_nest(branch))


def _repeats(flow: ControlFlow, loop: Loop, condition: Value) -> bool:
    """Whether a condition asks of each thread what a loop asks of the whole block, `first < n` and
    `first + threadIdx.x < n`: it would not if the size were a multiple of the block.
    """
    asked = [
        (phi, bound)
        for end in flow.exit_decisions(loop)
        if not any(map(is_thread_index, backward_slice(*end.terminator.operands[:1])))
        for compare in comparisons(end.terminator.operands[0])
        for phi, bound in (compare.operands, compare.operands[::-1])
        if any(unconverted(phi) is each for each in loop.header.phis)
    ]
    return any(
        unconverted(phi) in backward_slice(index)
        and any(map(is_thread_index, backward_slice(index)))
        and alike(unconverted(bound), unconverted(other))
        for compare in comparisons(condition)
        for index, other in (compare.operands, compare.operands[::-1])
        for phi, bound in asked
    )


def asks_for_sizes(branch: Block) -> bool:
    """Whether a decision compares anything with a size that is not known, perhaps that of the
    block.
    """
    return any(map(_has_size, comparisons(branch.terminator.operands[0])))


def asks_for_whole_tiles(branch: Block) -> bool:
    """Whether a decision is about a size that is rounded to a multiple, `(n / 16 + 1) * 16`: blocks
    of that many threads are either in or out. What the block's own size is rounded to is not meant.
    """
    parts = backward_slice(branch.terminator.operands[0])
    return any(isinstance(each, Operation) and _is_rounded(each) for each in parts)


def _is_rounded(product: Operation) -> bool:
    if product.opcode is not Opcode.MUL:
        return False
    factor = next(filter(None, map(whole_number, product.operands)), None)
    return factor is not None and any(
        isinstance(each, Operation)
        and each.opcode is Opcode.DIV
        and whole_number(each.operands[1]) == factor
        and not any(map(is_block_size, backward_slice(each)))
        for each in backward_slice(product)
    )


def is_block_size(value: Value) -> bool:
    """Whether a value says how many threads the block has: blockDim, and the like in PTX."""
    return isinstance(value, SpecialRegister) and value.register in BLOCK_SIZES


def may_fill_warps(launch: BlockLaunch, operation: Operation, branches: Collection[Block]) -> bool:
    """Whether sizes in any of the decisions before an operation of warps, but for those of loops,
    may be all the threads, are padded so that warps stay whole, or part threads in groups of warps.
    """
    flow = launch.facts.flow
    suits = (may_suit_the_block(flow, branch, loops=False) for branch in branches)
    if launch.launch.unsettled and any(suits):
        return True
    return is_padded(flow, operation, branches) or any(map(_asks_for_warp_of_group, branches))


def _asks_for_warp_of_group(branch: Block) -> bool:
    """Whether a decision counts warps in groups of threads: `threadIdx.x % size / 32`."""
    return any(
        isinstance(each, Operation)
        and each.opcode in (Opcode.DIV, Opcode.SHR)
        and _is_warp(each)
        and _is_place_in_group(unconverted(each.operands[0]))
        for each in backward_slice(branch.terminator.operands[0])
    )


def _is_warp(quotient: Operation) -> bool:
    """Whether a value is divided by the number of lanes."""
    divisor = unconverted(quotient.operands[1])
    if isinstance(divisor, SpecialRegister):
        return divisor.register is Special.WARP_SIZE
    return whole_number(divisor) == (
        WARP if quotient.opcode is Opcode.DIV else WARP.bit_length() - 1
    )


def _is_place_in_group(value: Value) -> bool:
    """Whether a value is the place of a thread in a group of a size that the launch passes."""
    if not isinstance(value, Operation) or value.opcode is not Opcode.REM:
        return False
    thread, size = value.operands
    passed = any(isinstance(each, Parameter) for each in backward_slice(size))
    return passed and any(map(is_thread_index, backward_slice(thread)))


def cuts_groups(launch: BlockLaunch, place: Value) -> bool:
    """Whether the threads of the grid are counted in groups (`i / 96`) that end within a block, in
    a kernel whose barriers have blocks of whole groups.
    """
    if next(iter(launch.facts.every(Barrier)), None) is None:
        return False
    for each in backward_slice(place):
        if isinstance(each, Operation) and each.opcode in (Opcode.DIV, Opcode.REM):
            size = whole_number(unconverted(each.operands[1]))
            cut = size is not None and 0 < size <= MAX_THREADS and launch.launch.threads % size
            if cut and _tells_threads_of_grid(each.operands[0]):
                return True
    return False


def _tells_threads_of_grid(value: Value) -> bool:
    """Whether threads are counted in all blocks together; `blockIdx.y >= n` keeps blocks whole."""
    parts = list(backward_slice(value))
    return any(map(is_block_index, parts)) and any(map(is_thread_index, parts))


def is_thread_index(value: Value) -> bool:
    """Whether a value is a special register by which the threads of a block differ, as
    threadIdx.
    """
    return isinstance(value, SpecialRegister) and value.register in _THREAD


def _has_size(compare: Compare) -> bool:
    """Whether the thread index is compared with what a launch gives or memory holds."""
    parts = [set(backward_slice(side)) for side in compare.operands]
    of_threads = [any(map(is_thread_index, part)) for part in parts]
    return any(
        mine and not other and any(isinstance(v, Parameter | MemoryAccess) for v in part)
        for mine, other, part in zip(of_threads, reversed(of_threads), reversed(parts), strict=True)
    )
