"""How many blocks of a launch are resident, by what is known of the kernel.

In: a kernel, a launch of it, and what a build or the file says of it. Out: an `Occupancy` that is
exact where a compiler has told the registers and every size is known, and the highest possible one
elsewhere: registers count as the low end of their estimate, what is not known as nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...hardware.architectures import architecture
from ...resources.occupancy import BlockResources, block_occupancy
from ...source.records import dataclass

if TYPE_CHECKING:
    from ...ir.kernel import Kernel
    from ...resources.occupancy import Occupancy
    from .assumed_launch import AssumedLaunch
    from .facts import Build


@dataclass(frozen=True, slots=True)
class Residency:
    """How many blocks of one launch are resident; `exact` where nothing about them is assumed."""

    launch: AssumedLaunch
    occupancy: Occupancy
    exact: bool


def residency(kernel: Kernel, launch: AssumedLaunch, build: Build) -> Residency:
    """How many blocks of a launch are resident, with what is known of its kernel."""
    arch, usage = architecture(build.arch), build.usage
    registers = usage.registers
    measured = registers.source is not None and registers.source.measured
    least = registers.value if measured else registers.low
    static, dynamic = usage.static_shared.value, launch.dynamic_shared
    needs_dynamic = any(item.dynamic for item in kernel.objects)
    block = BlockResources(
        threads=launch.threads,
        registers=least or 0,
        static_shared=static or 0,
        dynamic_shared=dynamic or 0,
        # A launch of more than 48 KB that works has set the attribute.
        opt_in=(static or 0) + (dynamic or 0) > arch.shared_per_block,
        barriers=usage.barriers.value or 1,
    )
    sizes_known = static is not None and (dynamic is not None or not needs_dynamic)
    return Residency(launch, block_occupancy(arch, block), measured and sizes_known)
