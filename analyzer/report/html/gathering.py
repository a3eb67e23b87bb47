"""The sheet of a kernel: everything that the page draws of it, asked from its facts.

In: the facts of a kernel, after its rules have asked them. Out: a `KernelSheet` for the first
launch that is analysed; what would be too much work is left out, and the sheet says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...analyses.launch.allowance import OutOfWorkError
from ...analyses.memory_traffic.access_table import counted_accesses
from ...analyses.memory_traffic.compiled_place import compiled_place
from ...analyses.memory_traffic.shared_accesses import SharedAccess
from ...analyses.pointers.work import hot_work
from ...analyses.storage.memory_spaces import describe
from ...analyses.storage.source_registers import estimated_usage
from ...analyses.warp_evaluation.value_levels import value_levels
from ...findings.kernel_sheets import AccessSheet, KernelSheet, OccupancySheet, SideSheet
from ...hardware.banks import SharedKind
from ...ir.memory import Space
from ...ir.operations import AccessKind
from ..resources.kernel_occupancy import Given, kernel_view
from ..resources.occupancy import headline

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...analyses.facts import KernelFacts, LaunchFacts
    from ...analyses.memory_traffic.access_table import CountedAccess, Side
    from ...analyses.memory_traffic.kernel_cost import KernelCost

_OPERATIONS = {AccessKind.REDUCTION: AccessKind.ATOMIC}


def kernel_sheet(facts: KernelFacts) -> KernelSheet:
    """The data sheet of a kernel, with everything that the HTML page draws of it."""
    launch = facts.launches[0]
    parts: dict[str, Any] = {}
    complete = not facts.is_too_large
    for name, made in _PARTS.items():
        if name in _COSTLY and facts.is_too_large:
            continue
        try:
            parts[name] = made(launch)
        except OutOfWorkError:
            complete = False
            break
    kernel, assumed = facts.kernel, launch.launch
    return KernelSheet(
        name=kernel.label,
        header=kernel.span,
        body=kernel.body_span,
        language=kernel.language,
        arch=facts.options.arch,
        block=assumed.block_text,
        origin=assumed.origin,
        guessed=assumed.guessed,
        grid=assumed.grid,
        launches=len(facts.launches),
        complete=complete,
        **parts,
    )


def _occupancy(launch: LaunchFacts) -> OccupancySheet:
    usage = estimated_usage(launch.facts, launch.facts.options.arch)
    view = kernel_view(launch, usage, Given())
    return OccupancySheet(view.occupancy, headline(view), view.notes, view.bound, view.ends)


def _times(launch: LaunchFacts) -> tuple[tuple[str, float], ...]:
    cost = launch.cost
    times = cost.machine.times(cost.used, cost.weights.blocks)
    return tuple((resource.value, cycles) for resource, cycles in times.items())


#: In the order of what they cost.
_PARTS: dict[str, Callable[[LaunchFacts], Any]] = {
    "occupancy": _occupancy,
    "variables": lambda launch: describe(launch.facts),
    "work": lambda launch: hot_work(launch.facts),
    "levels": lambda launch: tuple(value_levels(launch)),
    "accesses": lambda launch: tuple(_access(row, launch.cost) for row in counted_accesses(launch)),
    "times": _times,
}
_COSTLY = frozenset({"accesses", "times"})


def _access(row: CountedAccess, whole: KernelCost) -> AccessSheet:
    access = row.access
    cost = whole.of(access)
    found = row.launch.facts.points_to.object_of(access)
    return AccessSheet(
        span=compiled_place(access),
        operation=_OPERATIONS.get(access.kind, access.kind).value,
        space=row.space.value,
        object=found.name if found is not None else "",
        width=access.width,
        sides=tuple(map(_side, row.sides)),
        reason=row.reason,
        bounds=_bounds(row),
        never=row.never,
        share=0.0 if cost is None else whole.saved(cost.uses),
    )


def _side(side: Side) -> SideSheet:
    outcome, totals = side.outcome, side.totals
    ratio = totals.units / totals.ideal if totals is not None and totals.ideal else outcome.ratio
    sample = outcome.worst
    together: set[int] = set()
    in_turn = False
    if isinstance(outcome, SharedAccess):
        conflict = outcome.worst.conflict
        units, ideal = conflict.wavefronts, conflict.ideal
        together = {lane for lanes in conflict.banks.values() for lane in lanes}
        in_turn = outcome.kind in (SharedKind.ATOMIC, SharedKind.CAS)
    else:
        units, ideal = outcome.worst.use.sectors, outcome.worst.use.ideal
    return SideSheet(
        shared=isinstance(outcome, SharedAccess),
        units=units,
        ideal=ideal,
        ratio=ratio,
        total=None if totals is None else totals.units,
        total_ideal=None if totals is None else totals.ideal,
        warp=sample.warp,
        iteration=sample.iteration,
        width=outcome.width,
        offsets=sample.offsets,
        together=tuple(sorted(together)),
        in_turn=in_turn,
    )


def _bounds(row: CountedAccess) -> str:
    """`2 to 32 sectors, ideal 4; decided by data`."""
    found = row.bounds
    if found is None:
        return ""
    unit = "wavefronts" if found.space is Space.SHARED else "sectors"
    return (
        f"{found.least} to {found.most} {unit}, ideal {found.ideal}; decided by {found.decided_by}"
    )
