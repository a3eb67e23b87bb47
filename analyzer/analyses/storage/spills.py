"""Registers that a compiler has spilled, and whether the kernel's own bounds forced it.

In: the builds of a kernel. Out: the spilled bytes, and the build in which launch bounds or
`__maxnreg__` left fewer registers than the kernel needed; without a build, whether they will, as
PTX is estimated, or by one array of a source. Not handled: caps from the command line
(`-maxrregcount`), which a log does not show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...hardware.architectures import architecture
from ...resources.register_cap import register_cap
from ...source.records import dataclass
from .held_elements import held_at_once

if TYPE_CHECKING:
    from ..launch.facts import Build
    from ..races.facts import RaceFacts
    from .held_elements import Held

_UNIT = 8  # ptxas may leave the last step of registers unused


@dataclass(frozen=True, slots=True)
class ForcedSpill:
    """A build that spills registers because the kernel states a cap."""

    build: Build
    cap: int  # registers per thread that the bounds leave


def spilled_bytes(build: Build) -> int:
    """Bytes of spilled registers that a build stores and loads; 0 where none are known."""
    usage = build.usage
    return (usage.spill_stores.value or 0) + (usage.spill_loads.value or 0)


def forced_spill(facts: RaceFacts) -> ForcedSpill | None:
    """The build with the most spilled bytes among those at a cap that the kernel states."""
    found = []
    for build in facts.builds:
        arch = architecture(build.arch)
        cap = register_cap(facts.kernel.bounds, arch.threads_per_sm)
        if (
            spilled_bytes(build)
            and cap < arch.registers_per_thread
            and cap - _UNIT <= (build.usage.registers.value or 0) <= cap
        ):
            found.append(ForcedSpill(build, cap))
    return max(found, key=lambda each: spilled_bytes(each.build), default=None)


def expected_spill(facts: RaceFacts) -> int | None:
    """The cap on registers that the bounds of a kernel set, where no compiler was run and it is too
    low.
    """
    return _unmeasured_cap(facts) if facts.build.usage.expected_spills.value else None


def held_under_bounds(facts: RaceFacts) -> Held | None:
    """The array of a thread that will spill under the bounds of a kernel, where no compiler was
    run.
    """
    cap = _unmeasured_cap(facts)
    return None if cap is None else held_at_once(facts, cap)


def _unmeasured_cap(facts: RaceFacts) -> int | None:
    """The cap that a kernel states, unless what the compiler made of it is known."""
    usage = facts.build.usage
    measured = usage.spill_stores.known or (
        usage.registers.source is not None and usage.registers.source.measured
    )
    arch = facts.architecture
    cap = register_cap(facts.kernel.bounds, arch.threads_per_sm)
    return None if measured or cap >= arch.registers_per_thread else cap
