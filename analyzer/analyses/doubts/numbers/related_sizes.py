"""Threads, or iterations, that two sizes pick out: one says which row is the last, `2 * y + 3 ==
rows_in`, another one which rows there are, `y < rows_out`.

In: two accesses of a kernel made ready to be run. Out: whether decisions before them hold the index
of one axis, or the counter of a loop, against one size for equality and against another one by
order. Which threads meet then depends on how the two sizes go together, which the host knows. Not
handled: sizes in memory; indices that are sums over several axes, but for what is held against the
same sum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import EQUALITIES, Compare, MemoryAccess, Phi
from ....ir.values import Special, SpecialRegister
from ...dataflow.slices import backward_slice
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....ir.values import Value
    from ...block_execution.block_program import BlockProgram
    from ..question.candidates import Candidate

    Axes = frozenset[int | Phi]  # of the block, and counters of loops

_AXES = {Special.THREAD_X: 0, Special.THREAD_Y: 1, Special.THREAD_Z: 2}


def _depend_on_a_relation(candidate: Candidate) -> bool:
    """Whether two different sizes pick out the threads that come to the accesses."""
    program = candidate.context.program
    picked: dict[Axes, set[Value]] = {}
    held: dict[Axes, set[Value]] = {}
    for access in candidate.accesses:
        for comparison in _comparisons(program, access):
            index, sizes = _parts(program, comparison)
            found = picked if comparison.opcode in EQUALITIES else held
            found.setdefault(index, set()).update(sizes)
    return any(
        index and sizes and not held.get(index, sizes) <= sizes for index, sizes in picked.items()
    )


def _comparisons(program: BlockProgram, access: MemoryAccess) -> Iterator[Compare]:
    for condition in program.flow.conditions(access.block):
        for each in backward_slice(condition):
            if isinstance(each, Compare):
                yield each


def _parts(program: BlockProgram, comparison: Compare) -> tuple[Axes, set[Value]]:
    """The axes and counters of the index in a comparison, and the sizes that it is held against."""
    axes: set[int | Phi] = set()
    sizes: set[Value] = set()
    for each in backward_slice(comparison):
        if isinstance(each, MemoryAccess):
            return frozenset(), set()
        if isinstance(each, SpecialRegister) and each.register in _AXES:
            axes.add(_AXES[each.register])
        elif isinstance(each, Phi) and each.block in program.flow.latches:
            axes.add(each)
        elif program.is_assumed(each):
            sizes.add(each)
    return frozenset(axes), sizes


DOUBT = Doubt(
    "related-sizes",
    Effect.POSSIBLE,
    "two sizes decide which threads meet, and the host knows how they relate",
    _depend_on_a_relation,
)
