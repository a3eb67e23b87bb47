"""What findings say of occupancy: the numbers, and what limits them.

In: the resident blocks of a launch. Out: the pieces of a finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact
from ...analyzer.resources.occupancy import Resource
from ...analyzer.resources.occupancy_needs import needs_for_all_warps

if TYPE_CHECKING:
    from ...analyzer.analyses.warp_evaluation.residency import Residency
    from ...analyzer.resources.occupancy import Occupancy


def limiter_text(it: Occupancy) -> str:
    """`shared memory for 4 blocks, 12,288 bytes each`."""
    block, number = it.block, _blocks(it.blocks)
    words = {
        Resource.WARPS: f"room for {number} of {block.threads} threads",
        Resource.REGISTERS: f"registers for {number}, {block.registers} in each thread",
        Resource.SHARED: f"shared memory for {number}, {it.shared_per_block} bytes each",
        Resource.BLOCKS: f"at most {number}, of {block.threads} threads",
        Resource.BARRIERS: f"barriers for {number}, {block.barriers} each",
    }
    return ", ".join(words[each] for each in Resource if each in it.limiters)


def _blocks(number: int) -> str:
    return "1 block" if number == 1 else f"{number} blocks"


def occupancy_facts(found: Residency) -> tuple[Fact, ...]:
    """The numbers for machines, and what 100 % would take."""
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
        text = f"100 % takes at most {needs.registers} registers and {needs.shared} bytes"
        facts.append(Fact("needs", [needs.registers, needs.shared], text))
    elif needs.block_sizes:
        sizes = ", ".join(map(str, needs.block_sizes))
        facts.append(Fact("needs", [*needs.block_sizes], f"100 % takes blocks of {sizes} threads"))
    return tuple(facts)
