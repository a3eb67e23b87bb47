"""What an access costs in a whole launch: the totals that Nsight Compute shows for its line.

In: an evaluated access. Out: warps, threads, wavefronts and sectors over all blocks, warps and
iterations of loops, or the reason they are not known; nothing is extrapolated from samples.
Several accesses that the compiler merges are one instruction: it is counted at one of them
(vector_merging.py), and the others count nothing; nor does a load whose value the thread still has
in a register. A warp none of whose lanes is active is not counted, although the hardware executes
its instruction when the guard is a predicate.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ...hardware.banks import shared_wavefronts
from ...hardware.sectors import SECTOR_BYTES, global_sectors
from ...source.records import dataclass
from ..warp_evaluation.load_reuse import is_reused
from ..warp_evaluation.warp_evaluator import Unevaluable
from .shared_accesses import merged_offsets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .executions import Execution, LaunchExecutions
    from .global_accesses import GlobalAccess
    from .shared_accesses import SharedAccess

Offsets = tuple[int | None, ...]

_WORD = 4  # moving a warp by words turns the banks and changes no conflict


@dataclass(frozen=True, slots=True)
class Totals:
    """What one access costs over a launch; `units` are wavefronts in shared, sectors in global
    memory.
    """

    warps: int
    threads: int
    units: int
    ideal: int


NOTHING = Totals(0, 0, 0, 0)  # of an access that needs no instruction of its own


def shared_totals(access: SharedAccess, executions: LaunchExecutions) -> Totals | Unevaluable:
    """What an access to shared memory costs over a launch: warps, threads and wavefronts."""
    if access.reason:
        return Unevaluable(access.reason)
    if is_reused(executions.launch, access.access):
        return NOTHING
    merges = access.width > (access.access.width or access.width)
    found = executions.of(access.access, max(_WORD, access.width))
    if isinstance(found, Unevaluable):
        return found
    machine = executions.launch.facts.architecture

    def cost(offsets: Offsets) -> tuple[int, int]:
        conflict = shared_wavefronts(offsets, access.width, access.kind, machine)
        return conflict.wavefronts, conflict.ideal

    counted = Counter[Offsets]()
    for execution in found:
        offsets = _offsets(execution)
        if access.counts or (access.counts is None and _is_first(offsets, access.width)):
            counted[merged_offsets(offsets, access.width) if merges else offsets] += execution.times
    return _sum((cost(offsets), offsets, times) for offsets, times in counted.items())


def global_totals(access: GlobalAccess, executions: LaunchExecutions) -> Totals | Unevaluable:
    """What an access to global memory costs over a launch: warps, threads and sectors."""
    if access.reason:
        return Unevaluable(access.reason)
    if is_reused(executions.launch, access.access):
        return NOTHING
    found = executions.of(access.access, SECTOR_BYTES)
    if isinstance(found, Unevaluable):
        return found
    width = access.access.width or 1
    counted = Counter[Offsets]()
    for execution in found:
        counted[_offsets(execution)] += execution.times

    def cost(offsets: Offsets) -> tuple[int, int]:
        use = global_sectors(offsets, width)
        return use.sectors, use.ideal

    return _sum((cost(offsets), offsets, times) for offsets, times in counted.items())


def _offsets(execution: Execution) -> Offsets:
    pairs = zip(execution.value.lanes, execution.mask, strict=True)
    return tuple(offset if active else None for offset, active in pairs)


def _is_first(offsets: Offsets, width: int) -> bool:
    """Whether an iteration of a loop begins the vector that it is merged into."""
    return all(offset is None or offset % width == 0 for offset in offsets)


def _sum(costs: Iterable[tuple[tuple[int, int], Offsets, int]]) -> Totals:
    warps = threads = units = ideal = 0
    for (own, best), offsets, times in costs:
        warps += times
        threads += times * sum(offset is not None for offset in offsets)
        units += times * own
        ideal += times * best
    return Totals(warps, threads, units, ideal)
