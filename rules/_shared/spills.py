"""What findings say of spilled registers.

In: a build of a kernel. Out: the pieces of a finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact
from ...analyzer.hardware.architectures import architecture
from ...analyzer.source.words import plural

if TYPE_CHECKING:
    from ...analyzer.analyses.launch.facts import Build


def spill_text(build: Build) -> str:
    """Words of a finding for spilled registers: `448 bytes of stores and 448 bytes of loads`."""
    stores, loads = build.usage.spill_stores.value, build.usage.spill_loads.value
    return f"{plural(stores or 0, 'byte')} of stores and {plural(loads or 0, 'byte')} of loads"


def spill_facts(build: Build) -> tuple[Fact, ...]:
    """The evidence of a finding about spilled registers: the numbers and where they are from."""
    usage = build.usage
    source = usage.spill_stores.source
    return (
        Fact("spill_stores", usage.spill_stores.value),
        Fact("spill_loads", usage.spill_loads.value),
        Fact("registers", usage.registers.value),
        Fact("frame", usage.frame.value),
        Fact("arch", architecture(build.arch).name),
        Fact("source", source.value if source else None),
    )
