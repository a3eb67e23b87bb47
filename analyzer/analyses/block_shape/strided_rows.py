"""The shape of blocks whose threads walk over an array together, in steps of the whole block.

In: a kernel's facts. Out: the row length C and the number of rows R where a loop begins at
`threadIdx.y * C + threadIdx.x` and moves on by `R * C`: each thread has its own element in every
iteration, and all are taken, in blocks of C by R threads alone. None where loops disagree.
Not handled: strides that only the launch gives, three indices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.values import Special, SpecialRegister, whole_number
from ..dataflow.affine import affine
from ..dataflow.induction import induction
from ..launch.assumed_launch import MAX_THREADS

if TYPE_CHECKING:
    from ...ir.operations import Phi
    from ..block_execution.facts import BlockFacts

_ROWS = (Special.THREAD_X, Special.THREAD_Y)


def strided_rows(facts: BlockFacts) -> tuple[tuple[int, int], Phi] | None:
    """The block shape of a kernel whose threads walk over an array in steps of the block: threads
    of a row, rows, and what moves by them.
    """
    found: dict[tuple[int, int], Phi] = {}
    for loop in facts.flow.loops:
        for phi in loop.header.phis:
            shape = _shape(facts, phi)
            if shape is not None:
                found.setdefault(shape, phi)
    return next(iter(found.items())) if len(found) == 1 else None


def _shape(facts: BlockFacts, phi: Phi) -> tuple[int, int] | None:
    moves = induction(facts.flow, phi)
    if moves is None:
        return None
    first = affine(moves.first)
    indices = {each.register for each in first.factors if isinstance(each, SpecialRegister)}
    row, step = first.of(Special.THREAD_Y), 0
    if indices != set(_ROWS) or first.of(Special.THREAD_X) != 1 or row < 2:
        return None
    for value, sign in moves.steps:
        number = whole_number(value)
        if number is None:
            return None
        step += sign * number
    if step <= 0 or step % row or step > MAX_THREADS:
        return None
    return row, step // row
