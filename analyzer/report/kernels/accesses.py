"""What `inspect accesses` shows: each access to shared and global memory, and what it costs.

In: counted accesses. Out: one record per access and launch, with names that stay (those of Nsight
Compute's counters where it has one); a table for each kernel and launch; for shared memory, on
request, a picture of the worst warp: 32 lanes and the banks that they touch.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from ...analyses.memory_traffic.block_reuse import shared_reuse
from ...analyses.memory_traffic.compiled_place import compiled_place
from ...analyses.memory_traffic.ratio_ranges import ratio_range
from ...analyses.memory_traffic.shared_accesses import SharedAccess
from ...ir.memory import Space
from ...ir.operations import AccessKind
from ...source.words import plural
from ..formats.json_report import Record, place_record
from ..text.access_map import lane_map, sector_map
from ..text.palette import Palette, Role
from ..text.table import render_table
from .launches import launch_record, launch_title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...analyses.memory_traffic.access_table import CountedAccess, Side
    from ...analyses.memory_traffic.block_reuse import SharedReuse
    from ...analyses.memory_traffic.cost_bounds import CostBounds
    from ...findings.finding import Data

_HEAD = ("line", "op", "space", "bytes", "degree", "worst", "wavefronts", "sectors", "source")
_OPERATIONS = {AccessKind.REDUCTION: AccessKind.ATOMIC}
_UNKNOWN = "?"


def access_record(row: CountedAccess) -> Record:
    """One access in one launch; what is not known is null."""
    place, assumed = row.access.location, row.launch.launch
    span, origin = compiled_place(row.access), place.origin
    kernel = row.launch.facts.kernel
    return {
        "path": span.path,
        **place_record(span),
        **launch_record(row.launch),
        "kernel": kernel.name,
        "instance": kernel.label,
        "grid": list(assumed.grid),
        "dynamic_shared": assumed.dynamic_shared,
        "space": row.space.value,
        "op": _operation(row),
        "bytes": row.access.width,
        "merged_bytes": _merged_bytes(row),
        "object": _object(row),
        **_totals(row),
        **_ratios(row),
        "worst": _worst(row.sides[0], row) if row.sides else None,
        "analysed": row.judged,
        "reason": row.reason or None,
        "bounds": _bounds(row),
        "totals_reason": next((side.reason for side in row.sides if side.reason), None),
        "assumed_large": list(row.sizes),
        **_range(row),
        "complete": all(side.outcome.complete for side in row.sides),
        "assumed_guards": _guards(row),
        "inlined_at": [
            {"path": site.span.path, "line": site.span.line} for site in place.call_chain()
        ],
        "origin": {"path": origin.path, "line": origin.line} if origin else None,
    }


def access_lines(rows: Sequence[CountedAccess], palette: Palette) -> Iterator[str]:
    """A table for each kernel and launch, a line per access."""
    for index, (_, group) in enumerate(groupby(rows, key=lambda row: id(row.launch))):
        own = sorted(group, key=_place)
        if index:
            yield ""
        yield palette.paint(launch_title(own[0].launch), Role.NOTE)
        yield from render_table(_HEAD, [_cells(row) for row in own], palette)
        yield from map(_reuse_text, shared_reuse(own[0].launch))
    if not rows:
        yield "no accesses to shared or global memory"


def access_maps(rows: Sequence[CountedAccess], palette: Palette) -> Iterator[str]:
    """The tables, and below each the worst warp of every access: lanes against banks or sectors."""
    for index, (_, group) in enumerate(groupby(rows, key=lambda row: id(row.launch))):
        own = sorted(group, key=_place)
        if index:
            yield ""
        yield from access_lines(own, palette)
        layout = own[0].launch.facts.architecture.shared_memory
        for row in own:
            for side in row.sides:
                yield ""
                if isinstance(side.outcome, SharedAccess):
                    yield from lane_map(side.outcome, layout, palette)
                else:
                    yield from sector_map(side.outcome, palette)
    if not rows:
        yield from access_lines(rows, palette)


def _reuse_text(each: SharedReuse) -> str:
    loads, threads = (f"{number:.3g}" for number in (each.loads, each.threads))
    times, by = ("time" if loads == "1" else "times"), ("thread" if threads == "1" else "threads")
    return f"{each.item.name}: a stored element is loaded {loads} {times}, by {threads} {by}"


# ---- records ---------------------------------------------------------------------------------


def _operation(row: CountedAccess) -> str:
    return _OPERATIONS.get(row.access.kind, row.access.kind).value


def _merged_bytes(row: CountedAccess) -> int | None:
    """The width of the instruction that the compiler makes, when other accesses are part of it."""
    if row.shared is None or not isinstance(row.shared.outcome, SharedAccess):
        return row.access.width
    return row.shared.outcome.width


def _object(row: CountedAccess) -> str | None:
    found = row.launch.facts.points_to.object_of(row.access)
    return found.name if found is not None else None


def _totals(row: CountedAccess) -> Record:
    """The totals of the launch; both sides of a copy are made by the same warps."""
    if row.never:
        shared_units = 0 if row.space is Space.SHARED else None
        global_units = 0 if row.space is Space.GLOBAL else None
        return {
            "warps": 0,
            "threads": 0,
            "wavefronts": shared_units,
            "ideal_wavefronts": shared_units,
            "sectors": global_units,
            "ideal_sectors": global_units,
        }
    shared = row.shared.totals if row.shared else None
    global_ = row.global_side.totals if row.global_side else None
    either = shared or global_
    return {
        "warps": either.warps if either else None,
        "threads": either.threads if either else None,
        "wavefronts": shared.units if shared else None,
        "ideal_wavefronts": shared.ideal if shared else None,
        "sectors": global_.units if global_ else None,
        "ideal_sectors": global_.ideal if global_ else None,
    }


def _ratios(row: CountedAccess) -> Record:
    """Wavefronts and sectors over the ideal: of the launch where counted, else of the samples."""
    shared, global_ = row.shared, row.global_side
    return {
        "degree": _ratio(shared),
        "worst_degree": _worst_ratio(shared),
        "sector_ratio": _ratio(global_),
        "worst_sector_ratio": _worst_ratio(global_),
    }


def _range(row: CountedAccess) -> Record:
    """How far the sector ratio may be off, and under which conditions it holds."""
    found = ratio_range(row)
    if found is None:
        return {"sector_ratio_range": None, "sector_ratio_if": []}
    extremes: list[Data] = [round(found.least, 3), round(found.most, 3)]
    return {"sector_ratio_range": extremes, "sector_ratio_if": list(found.conditions)}


def _bounds(row: CountedAccess) -> Record | None:
    """What one execution by a warp costs at least and at most, and what decides."""
    found = row.bounds
    if found is None:
        return None
    return {
        "unit": f"{_unit(found)}s",
        "least": found.least,
        "most": found.most,
        "ideal": found.ideal,
        "decided_by": found.decided_by,
    }


def _unit(bounds: CostBounds) -> str:
    return "wavefront" if bounds.space is Space.SHARED else "sector"


def _ratio(side: Side | None) -> float | None:
    if side is None:
        return None
    if side.totals is not None and side.totals.ideal:
        return round(side.totals.units / side.totals.ideal, 3)
    outcome = side.outcome
    return round(outcome.degree if isinstance(outcome, SharedAccess) else outcome.ratio, 3)


def _worst_ratio(side: Side | None) -> float | None:
    if side is None:
        return None
    outcome = side.outcome
    if isinstance(outcome, SharedAccess):
        return round(outcome.worst.conflict.degree, 3)
    return round(outcome.worst.use.ratio, 3)


def _worst(side: Side, row: CountedAccess) -> Record:
    """The costliest execution that was looked at: where each lane goes."""
    outcome = side.outcome
    sample = outcome.worst
    banked = isinstance(outcome, SharedAccess)
    layout = row.launch.facts.architecture.shared_memory
    lanes: list[Data] = []
    for lane, offset in enumerate(sample.offsets):
        if offset is not None:
            bank = {"bank": offset // layout.bank_bytes % layout.banks} if banked else {}
            lanes.append({"lane": lane, "address": offset, **bank})
    return {
        "space": "shared" if banked else "global",
        "warp": sample.warp,
        "iteration": sample.iteration,
        "lanes": lanes,
    }


def _guards(row: CountedAccess) -> list[Data]:
    """The decisions taken to let every lane through."""
    blocks = {block for side in row.sides for block in side.outcome.assumed}
    ordered = sorted(blocks, key=lambda block: block.index)
    return [" ".join(block.terminator.location.span.text.split()) for block in ordered]


def _place(row: CountedAccess) -> tuple[str, int, int]:
    span = row.access.location.span
    return span.path, span.line, span.start


# ---- text ------------------------------------------------------------------------------------


def _cells(row: CountedAccess) -> Sequence[str]:
    place, span = row.access.location, compiled_place(row.access)
    calls = "".join(f", called at {site.span.line}" for site in place.call_chain())
    origin = f" ({place.origin.path}:{place.origin.line})" if place.origin else ""
    lead = (f"{span.line}{calls}{origin}", _operation(row), row.space.value)
    width = _width(row)
    source = span.source.line(span.line).strip()
    if row.sizes:
        source = f"{source}  [for large {', '.join(row.sizes)}]"
    found = ratio_range(row)
    if found is not None:
        when = (
            f"{found.least:.3g} if {' and '.join(found.conditions)}, " if found.conditions else ""
        )
        source = f"{source}  [{when}at most {found.most:.3g}]"
    if row.bounds is not None:
        few, most, who = row.bounds.least, row.bounds.most, row.bounds.decided_by
        many = plural(most, _unit(row.bounds))
        source = f"{source}  [{few} to {many} per warp, by {who}; ideal {row.bounds.ideal}]"
        least, worst = (f"{units / row.bounds.ideal:.3g}" for units in (few, most))
        degree = least if least == worst else f"{least} to {worst}"
        return *lead, width, degree, worst, "", "", source
    if row.reason:
        return *lead, width, _UNKNOWN, _UNKNOWN, "", "", f"{source}  [not analysed: {row.reason}]"
    if row.never:
        return *lead, width, "", "", "", "", f"{source}  [never executed]"
    ratios = [side for side in (row.shared, row.global_side) if side is not None]
    degree = ", ".join(f"{_ratio(side):g}" for side in ratios)
    worst = ", ".join(f"{_worst_ratio(side):g}" for side in ratios)
    return *lead, width, degree, worst, _units(row.shared), _units(row.global_side), source


def _width(row: CountedAccess) -> str:
    own, merged = row.access.width, _merged_bytes(row)
    if own is None:
        return _UNKNOWN
    return f"{own}" if own == merged else f"{own} in {merged}"


def _units(side: Side | None) -> str:
    """`64, ideal 32`, over the launch; `32 a warp, ideal 4` where that is not known."""
    if side is None:
        return ""
    if side.totals is not None:
        return f"{side.totals.units}, ideal {side.totals.ideal}"
    outcome = side.outcome
    if isinstance(outcome, SharedAccess):
        units, ideal = outcome.worst.conflict.wavefronts, outcome.worst.conflict.ideal
    else:
        units, ideal = outcome.worst.use.sectors, outcome.worst.use.ideal
    return f"{units} a warp, ideal {ideal}"
