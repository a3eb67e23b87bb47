"""What findings say of occupancy: the numbers, and what limits them.

In: the resident blocks of a launch. Out: the pieces of a finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact
from ...analyzer.resources.occupancy import Resource
from ...analyzer.resources.occupancy_needs import needs_for_all_warps
from ...analyzer.source.words import listed, plural

if TYPE_CHECKING:
    from ...analyzer.analyses.launch.residency import Residency
    from ...analyzer.resources.occupancy import Occupancy


def limiter_text(it: Occupancy) -> str:
    """Words of a finding for what limits occupancy: `shared memory (4 blocks of 12,288 bytes
    fit)`.
    """
    block, number = it.block, plural(it.blocks, "block")
    fit = "fits" if it.blocks == 1 else "fit"
    threads, shared = plural(block.threads, "thread"), plural(it.shared_per_block, "byte")
    words = {
        Resource.WARPS: f"warps ({number} of {threads} {fit})",
        Resource.REGISTERS: f"registers ({number} {fit} at {block.registers} per thread)",
        Resource.SHARED: f"shared memory ({number} of {shared} {fit})",
        Resource.BLOCKS: f"blocks (at most {number} of {threads} {fit})",
        Resource.BARRIERS: f"barriers ({number} {fit} with {block.barriers} each)",
    }
    return listed([words[each] for each in Resource if each in it.limiters])


def occupancy_facts(found: Residency) -> tuple[Fact, ...]:
    """The evidence of a finding about occupancy: numbers, and what 100 % would take."""
    it = found.occupancy
    needs = needs_for_all_warps(it)
    limits: dict[str, int | None] = {each.value: it.limits[each] for each in Resource}
    facts = [
        Fact("occupancy", round(it.fraction, 4)),
        Fact("blocks", it.blocks),
        Fact("warps", it.warps),
        Fact("limiters", [*sorted(each.value for each in it.limiters)]),
        Fact("limits", {**limits}),
        Fact("registers", it.block.registers or None),
        Fact("shared_bytes", it.block.static_shared + it.block.dynamic_shared),
        Fact("exact", found.exact),
        Fact("arch", it.architecture.name),
    ]
    if needs.registers is not None and needs.shared is not None:
        registers, shared = plural(needs.registers, "register"), plural(needs.shared, "byte")
        text = f"100 % occupancy needs at most {registers} per thread and {shared} of shared memory"
        facts.append(Fact("needs", [needs.registers, needs.shared], text))
    elif needs.block_sizes:
        sizes = ", ".join(map(str, needs.block_sizes))
        text = f"100 % occupancy needs one of these block sizes: {sizes}"
        facts.append(Fact("needs", [*needs.block_sizes], text))
    return tuple(facts)
