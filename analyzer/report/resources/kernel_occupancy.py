"""The occupancy of kernels in files: each kernel and launch, with what is known of its resources.

In: the facts of a launch, the usage of its kernel, and what the command line says. Out: a `View`
that `report.occupancy` shows. Registers that nobody knows make the answer an upper bound.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...hardware.architectures import architecture
from ...ir.usage import Source
from ...resources.occupancy import BlockResources, CachePreference, block_occupancy
from ...source.records import dataclass
from ..kernels.launches import launch_title
from .occupancy import View

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyses.facts import LaunchFacts
    from ...ir.usage import Amount, Usage


@dataclass(frozen=True, slots=True)
class Given:
    """Resources that the command line of `occupancy` states for every launch; None: not stated."""

    arch: int | None = None
    registers: int | None = None
    static_shared: int | None = None
    dynamic_shared: int | None = None
    opt_in: bool = False
    carveout: int | None = None
    cache: CachePreference = CachePreference.NONE
    barriers: int | None = None


def kernel_view(launch: LaunchFacts, usage: Usage, given: Given) -> View:
    """The occupancy of one launch of a kernel in a file, ready to be shown."""
    registers = _chosen(given.registers, usage.registers)
    dynamic = given.dynamic_shared
    if dynamic is None:
        dynamic = launch.launch.dynamic_shared
    static = _chosen(given.static_shared, usage.static_shared) or 0
    arch = architecture(given.arch) if given.arch else launch.facts.architecture
    block = BlockResources(
        threads=launch.launch.threads,
        registers=registers or 0,
        static_shared=static,
        dynamic_shared=dynamic or 0,
        # A launch of more than 48 KB that works has set the attribute.
        opt_in=given.opt_in or static + (dynamic or 0) > arch.shared_per_block,
        carveout=given.carveout,
        cache=given.cache,
        barriers=_barriers(given, usage),
    )
    notes = tuple(_notes(launch, usage, given))
    ends = None
    estimate = usage.registers
    if given.registers is None and estimate.low is not None and estimate.high is not None:
        both = (replace(block, registers=end) for end in (estimate.low, estimate.high))
        low, high = (block_occupancy(arch, end) for end in both)
        ends = (low, high)
    occupancy = block_occupancy(arch, block)
    return View(launch_title(launch), occupancy, registers is None, notes, launch, ends)


def _chosen(given: int | None, amount: Amount) -> int | None:
    return amount.value if given is None else given


def _barriers(given: Given, usage: Usage) -> int:
    known = _chosen(given.barriers, usage.barriers)
    return 1 if known is None else known


def _notes(launch: LaunchFacts, usage: Usage, given: Given) -> Iterator[str]:
    """Where each number comes from."""
    yield f"registers: {amount_text(usage.registers, given.registers)}"
    yield f"static shared memory: {amount_text(usage.static_shared, given.static_shared, 'bytes')}"
    dynamic = launch.launch.dynamic_shared
    if given.dynamic_shared is not None:
        yield f"dynamic shared memory: {given.dynamic_shared} bytes (command line)"
    elif dynamic is not None:
        yield f"dynamic shared memory: {dynamic} bytes ({launch.launch.origin})"
    elif any(item.dynamic for item in launch.facts.kernel.objects):
        yield "dynamic shared memory: unknown, assumed to be 0; set --dynamic-smem"


def amount_text(amount: Amount, given: int | None = None, unit: str = "") -> str:
    """An amount of a kernel in words: `40 (estimate, 36 to 44)`; from source with how many kernels
    lie in such an interval.
    """
    unit = f" {unit}" if unit else ""
    if given is not None:
        return f"{given}{unit} (command line)"
    if amount.value is None or amount.source is None:
        return "unknown"
    interval = ""
    if amount.low is not None and amount.high is not None:
        interval = f", {amount.low} to {amount.high}"
        if amount.source is Source.ROUGH:
            interval += " for 9 of 10 kernels"
    return f"{amount.value}{unit} ({amount.source.value}{interval})"
