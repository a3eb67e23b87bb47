"""What `warplint occupancy` shows of one launch: the limits, what 100 % needs, and the cliffs.

In: an occupancy and a title. Out: lines for a terminal, and a record whose names are the columns
that people know from NVIDIA's calculator. Where registers are not known, the numbers are upper
bounds, and say so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...resources.occupancy import Resource
from ...resources.occupancy_curves import Amount, cliffs, curve
from ...resources.occupancy_needs import needs_for_all_warps
from ...source.records import dataclass
from ...source.words import percent, plural
from ..kernels.launches import launch_record
from ..text.palette import Palette, Role
from ..text.table import render_table
from .occupancy_plot import plot_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyses.facts import LaunchFacts
    from ...findings.finding import Data
    from ...resources.occupancy import Occupancy
    from ...resources.occupancy_curves import Point
    from ..formats.json_report import Record

#: What an amount is called, with its unit.
AMOUNTS = {
    Amount.THREADS: "threads per block",
    Amount.REGISTERS: "registers per thread",
    Amount.DYNAMIC_SHARED: "bytes of dynamic shared memory",
}


@dataclass(frozen=True, slots=True)
class View:
    """A launch whose occupancy is shown; `bound` when registers are not known, so that less may be
    resident.
    """

    title: str
    occupancy: Occupancy
    bound: bool = False
    notes: tuple[str, ...] = ()
    launch: LaunchFacts | None = None  # of a kernel in a file
    ends: tuple[Occupancy, Occupancy] | None = None  # for the ends of an estimate's interval


def occupancy_lines(view: View, palette: Palette, *, plot: bool) -> Iterator[str]:
    """The occupancy of one launch for a terminal."""
    yield palette.paint(view.title, Role.STRONG)
    for note in view.notes:
        yield f"  {note}"
    yield f"  {headline(view)}"
    yield ""
    yield from (f"  {line}" for line in render_table(_HEAD, _limit_rows(view), palette))
    yield ""
    yield from (f"  {line}" for line in _needs_lines(view.occupancy))
    yield from (f"  {line}" for line in _cliff_lines(view.occupancy, bound=view.bound))
    if plot:
        for amount, name in AMOUNTS.items():
            yield ""
            yield from (f"  {line}" for line in plot_lines(view.occupancy, amount, name))


def headline(view: View) -> str:
    """The first line on an occupancy: `4 blocks, 32 of 64 warps: 50.0 % occupancy, limited by
    registers`.
    """
    it = view.occupancy
    limiters = it.limiters
    names = ", ".join([each.value for each in Resource if each in limiters])
    if it.blocks == 0:
        return f"cannot be launched: no block fits, limited by {names}"
    most = "at most " if view.bound else "about " if view.ends else ""
    return (
        f"{most}{plural(it.blocks, 'block')}, {it.warps} of {it.architecture.warps_per_sm} warps: "
        f"{most}{percent(it.fraction, 1)} occupancy{_range(view)}, limited by {names}"
    )


def _range(view: View) -> str:
    """` (37.5 % to 62.5 %)` where registers are an estimate and their interval matters."""
    if view.ends is None:
        return ""
    low, high = sorted(end.fraction for end in view.ends)
    return "" if low == high else f" ({percent(low, 1)} to {percent(high, 1)})"


_HEAD = ("resource", "blocks", "per block", "per multiprocessor")


def _limit_rows(view: View) -> list[tuple[str, str, str, str]]:
    it, arch = view.occupancy, view.occupancy.architecture
    block = it.block
    asked = f"{block.static_shared} static + {block.dynamic_shared} dynamic"
    if arch.shared_reserved:
        asked += f" + {arch.shared_reserved} reserved"
    registers = f"{it.registers_per_block} ({block.registers} per thread)"
    takes = {
        Resource.WARPS: (f"{block.warps} ({block.threads} threads)", arch.warps_per_sm),
        Resource.REGISTERS: ("unknown" if view.bound else registers, arch.registers_per_sm),
        Resource.SHARED: (f"{it.shared_per_block} bytes ({asked})", it.shared_capacity),
        Resource.BLOCKS: ("1", arch.blocks_per_sm),
        Resource.BARRIERS: (f"{block.barriers}", arch.barriers_per_sm),
    }
    return [
        (
            f"{resource.value}{' *' if resource in it.limiters else ''}",
            _count(it.limits[resource]),
            amount,
            "-" if total is None else str(total),
        )
        for resource, (amount, total) in takes.items()
    ]


def _count(limit: int | None) -> str:
    return "any" if limit is None else str(limit)


def _needs_lines(it: Occupancy) -> Iterator[str]:
    needs = needs_for_all_warps(it)
    if needs.registers is None or needs.shared is None:
        sizes = ", ".join(map(str, needs.block_sizes)) or "none"
        yield (
            f"100 % occupancy is impossible with {plural(it.block.threads, 'thread')} per block; "
            f"block sizes that reach it: {sizes}"
        )
        return
    yield (
        f"100 % occupancy needs at most {plural(needs.registers, 'register')} per thread "
        f"and at most {plural(needs.shared, 'byte')} of shared memory per block"
    )


def _cliff_lines(it: Occupancy, *, bound: bool) -> Iterator[str]:
    for amount, name in AMOUNTS.items():
        if bound and amount is Amount.REGISTERS:
            continue
        near = cliffs(it, amount)
        fewer = "less" if amount is Amount.DYNAMIC_SHARED else "fewer"
        for word, point in ((fewer, near.below), ("more", near.above)):
            if point is not None:
                gains = point.occupancy.fraction > it.fraction
                change = "gain" if gains else "loss"
                yield f"next {change} with {word} {name}: {_step(it, amount, point)}"


def _step(it: Occupancy, amount: Amount, point: Point) -> str:
    value = getattr(it.block, amount.value)
    there = point.occupancy
    change = f"{value} → {point.value} ({point.value - value:+d})"
    return (
        f"{change} gives {plural(there.blocks, 'block')}, {plural(there.warps, 'warp')} "
        f"({percent(it.fraction, 1)} → {percent(there.fraction, 1)})"
    )


# ---- records ----------------------------------------------------------------------------------


def view_record(view: View) -> Record:
    """One launch as JSON, with its kernel when it has one."""
    kernel: Record = {}
    if view.launch is not None:
        kernel = {"path": view.launch.facts.kernel.span.path, **launch_record(view.launch)}
    return {
        **kernel,
        "notes": [*view.notes],
        **occupancy_record(view.occupancy, bound=view.bound),
        "curves": curves_record(view.occupancy),
    }


def occupancy_record(it: Occupancy, *, bound: bool = False) -> Record:
    """The occupancy of one launch as JSON; a limit that does not exist is null."""
    needs = needs_for_all_warps(it)
    return {
        "arch": it.architecture.name,
        "compute_capability": it.architecture.compute_capability,
        "threads_per_block": it.block.threads,
        "regs_per_thread": None if bound else it.block.registers,
        "static_smem": it.block.static_shared,
        "dynamic_smem": it.block.dynamic_shared,
        "num_barriers": it.block.barriers,
        "upper_bound": bound,
        "blocks_per_sm": it.blocks,
        "active_warps": it.warps,
        "max_warps": it.architecture.warps_per_sm,
        "occupancy": round(it.fraction, 6),
        "limiters": [each.value for each in Resource if each in it.limiters],
        "limits": {each.value: it.limits[each] for each in Resource},
        "smem_per_block": it.shared_per_block,
        "smem_capacity": it.shared_capacity,
        "regs_per_block": it.registers_per_block,
        "full_occupancy": {
            "max_regs": needs.registers,
            "max_smem": needs.shared,
            "block_sizes": [*needs.block_sizes],
        },
        "cliffs": {amount.value: _cliff_record(it, amount) for amount in AMOUNTS},
    }


def curves_record(it: Occupancy) -> Record:
    """The three occupancy curves as JSON: value and resident warps at each point."""
    return {
        amount.value: [[point.value, point.occupancy.warps] for point in curve(it, amount)]
        for amount in AMOUNTS
    }


def _cliff_record(it: Occupancy, amount: Amount) -> Data:
    near = cliffs(it, amount)
    return {"below": _point_record(near.below), "above": _point_record(near.above)}


def _point_record(point: Point | None) -> Data:
    if point is None:
        return None
    there = point.occupancy
    return {
        "value": point.value,
        "blocks_per_sm": there.blocks,
        "active_warps": there.warps,
        "occupancy": round(there.fraction, 6),
    }
