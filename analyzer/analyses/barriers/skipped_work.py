"""Whether threads that leave before a barrier leave work undone that the others need.

In: a decision by which some threads of a block leave, and the barrier after it. Out: whether the
others may store something in shared memory on their way to the barrier that is loaded after it: the
threads that left have not stored their part. Arrays are taken as a whole, but for columns: where
the index on one axis decides who leaves, and is in all addresses what is left of a division by the
block's extent, `s[32 * (threadIdx.y + d) + threadIdx.x]`, nobody loads what another column stores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.values import ObjectAddress, Special, SpecialRegister
from ..block_execution.launch_values import THREAD_INDEX
from ..dataflow.affine import affine
from ..dataflow.paths import can_reach
from ..dataflow.slices import loads_in, registers_in

if TYPE_CHECKING:
    from ...ir.operations import MemoryAccess
    from .barrier_divergence import DivergentBarrier
    from .facts import BarrierFacts


def skips_shared_work(facts: BarrierFacts, exit: DivergentBarrier) -> bool:
    """Whether threads that leave before a barrier miss stores that shared memory carries
    over it.
    """
    branch, barrier = exit.edge.branch.terminator, exit.barrier
    flow, spaces = facts.flow, facts.points_to.spaces
    shared = [access for access in facts.accesses if Space.SHARED in spaces(access)]
    stores = [
        access
        for access in shared
        if access.writes
        if can_reach(flow, branch, access) and can_reach(flow, access, barrier)
    ]
    stored = {target for access in stores for target in facts.points_to.of(access.address)}
    loads = [
        access
        for access in shared
        if access.reads
        and can_reach(flow, barrier, access)
        and (None in stored or not stored.isdisjoint(facts.points_to.of(access.address)))
    ]
    return bool(loads) and not _stay_in_columns(exit, [*stores, *loads])


def _stay_in_columns(exit: DivergentBarrier, accesses: list[MemoryAccess]) -> bool:
    """Whether who leaves is decided by the column of a thread, and every column is by itself."""
    condition = exit.edge.branch.terminator.operands[0]
    registers = registers_in(condition)
    axes = [axis for axis in THREAD_INDEX if axis in registers]
    if len(axes) != 1 or loads_in(condition) or exit.launch.guessed or not exit.launch.trusted:
        return False
    extent = exit.launch.block[THREAD_INDEX.index(axes[0])]
    columns = {_column(access, axes[0], extent) for access in accesses}
    return len(columns) == 1 and None not in columns


def _column(access: MemoryAccess, axis: Special, extent: int) -> tuple[int, int] | None:
    """The bytes of a column, and what is added to its place in a row; None where the column is not
    what tells the places in a row apart.
    """
    form = affine(access.address)
    width = form.of(axis)
    row = width * extent
    others = (
        factor
        for value, factor in form.factors.items()
        if not isinstance(value, ObjectAddress)
        and not (isinstance(value, SpecialRegister) and value.register is axis)
    )
    if width < (access.width or width + 1) or any(factor % row for factor in others):
        return None
    return width, form.number % row
