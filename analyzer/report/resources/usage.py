"""What `warplint resources` shows: each number of a kernel with its source, and the occupancy.

In: rows of kernels, with their launches where a source was read. Out: lines for a terminal and one
record per kernel and architecture, with names that stay. A number that nobody knows is shown as
such. Where registers are estimated, so is the occupancy, and it is given for both ends of the
interval.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from ...hardware.architectures import architecture
from ...hardware.devices import device_of
from ...ir.usage import Usage
from ...resources.occupancy import Resource
from ...source.records import dataclass
from ..text.cells import printable_line
from ..text.palette import Palette, Role
from .kernel_occupancy import amount_text
from .occupancy import headline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...analyses.pointers.work import Work
    from ...engine.kernel_usage import KernelUsage
    from ...findings.finding import Data
    from ...ir.usage import Amount
    from ..formats.json_report import Record
    from .occupancy import View

#: The amounts in the order shown: name, unit, and whether to show it only when known.
_SHOWN = (
    ("registers", "registers", "per thread", False),
    ("spill_stores", "spill stores", "bytes", False),
    ("spill_loads", "spill loads", "bytes", True),
    ("frame", "stack frame", "bytes", False),
    ("stack", "stack with callees", "bytes", True),
    ("static_shared", "static shared memory", "bytes", False),
    ("barriers", "barriers", "", False),
    ("parameters", "parameters", "bytes", True),
    ("constant_bank", "constant bank 0", "bytes", True),
)


@dataclass(frozen=True, slots=True)
class ResourceView:
    """A kernel that `resources` shows, and each launch of it with the occupancy there."""

    row: KernelUsage
    launches: tuple[View, ...]
    work: Work | None = None


def resource_lines(views: Sequence[ResourceView], palette: Palette) -> Iterator[str]:
    """The resources of kernels as text, a block of lines for each."""
    for index, view in enumerate(views):
        if index:
            yield ""
        yield palette.paint(_title(view.row), Role.STRONG)
        for name, title, unit, only_known in _SHOWN:
            amount: Amount = getattr(view.row.usage, name)
            if amount.known or not only_known:
                text = amount_text(amount, unit=unit)
                if name == "spill_stores" and not amount.known:
                    text = _expected_spills_text(view.row.usage.expected_spills)
                yield f"  {title:<21} {text}"
        if view.work is not None:
            yield f"  {'work':<21} {work_text(view.work, view.row.arch)}"
        for launch in view.launches:
            yield f"  {'occupancy':<21} {headline(launch)}; {_launch_text(launch)}"
    if not views:
        yield "no kernels"


def _expected_spills_text(expected: Amount) -> str:
    """Whether there will be spills, where nobody counted them."""
    if expected.value is None or expected.source is None:
        return "unknown"
    return f"{'some' if expected.value else 'none'} expected ({expected.source.value})"


def _title(row: KernelUsage) -> str:
    place = row.origin
    if row.kernel is not None:
        place = f"{row.kernel.span.path}:{row.kernel.span.line}"
    return printable_line(f"{row.name} ({place}), {architecture(row.arch).name}")


def work_text(work: Work, arch: int) -> str:
    """`1.0 flop per global access, 0.25 per byte (loop at line 7)` and the ceiling it sets."""
    where = "" if work.line is None else f" (loop at line {work.line})"
    text = f"{work.cgma:.1f} flop per global access, {work.per_byte:.2f} per byte"
    if work.per_shared_access is not None:
        text += f", {work.per_shared_access:.2f} per shared access"
    device = device_of(arch)
    if device is None or work.per_byte is None:
        return f"{text}{where}"
    ceiling = device.ceiling(work.per_byte)
    return f"{text}{where}; memory allows {ceiling:.0f} of {device.peak:.0f} GFLOPS ({device.name})"


def _work_record(work: Work | None, arch: int) -> Data:
    """The work of the hot loop; null where it is not known."""
    if work is None:
        return None
    device = device_of(arch)
    return {
        "line": work.line,
        "flops": work.flops,
        "global_accesses": work.global_accesses,
        "global_bytes": work.global_bytes,
        "shared_accesses": work.shared_accesses,
        "cgma": work.cgma,
        "flop_per_byte": work.per_byte,
        "flop_per_shared_access": work.per_shared_access,
        "device": device.name if device else None,
        "ceiling_gflops": device.ceiling(work.per_byte) if device and work.per_byte else None,
        "peak_gflops": device.peak if device else None,
    }


def _launch_text(view: View) -> str:
    """`block 16x16x1 (launch at line 35)`."""
    if view.launch is None:
        return view.title
    assumed = view.launch.launch
    return printable_line(f"block {assumed.block_text} ({assumed.origin})")


def resource_record(view: ResourceView) -> Record:
    """The resources of a kernel on one architecture as JSON; what is not known is null."""
    row = view.row
    kernel = row.kernel
    return {
        "kernel": row.name,
        "symbol": row.symbol,
        "path": kernel.span.path if kernel else row.origin,
        "line": kernel.span.line if kernel else None,
        "arch": architecture(row.arch).name,
        "resources": {
            item.name: amount_record(getattr(row.usage, item.name)) for item in fields(Usage)
        },
        "spills": row.usage.spills,
        "work": _work_record(view.work, row.arch),
        "launches": [launch_view_record(launch) for launch in view.launches],
    }


def amount_record(amount: Amount) -> Record:
    """An amount of a resource as JSON: value, source, and interval when it is an estimate."""
    record: Record = {
        "value": amount.value,
        "source": amount.source.value if amount.source else None,
    }
    if amount.low is not None:
        record |= {"low": amount.low, "high": amount.high}
    return record


def launch_view_record(view: View) -> Record:
    """The occupancy of one launch, short."""
    it = view.occupancy
    return {
        "launch": _launch_text(view),
        "threads_per_block": it.block.threads,
        "dynamic_smem": it.block.dynamic_shared,
        "blocks_per_sm": it.blocks,
        "active_warps": it.warps,
        "occupancy": round(it.fraction, 6),
        "limiters": [each.value for each in Resource if each in it.limiters],
        "upper_bound": view.bound,
        "occupancy_range": _range_record(view),
    }


def _range_record(view: View) -> Data:
    """The occupancy at both ends of an estimate's interval; null for what is no estimate."""
    if view.ends is None:
        return None
    low, high = sorted(round(end.fraction, 6) for end in view.ends)
    return [low, high]
