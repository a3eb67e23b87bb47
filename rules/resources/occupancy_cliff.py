"""
## What it does

Reports launches that are a few registers, or a little shared memory, away from one more resident
block, where that block adds at least 10 % occupancy. The registers are those of a build log
(`--ptxas-log`).

## Why is this bad?

Registers and shared memory are allocated per block. A kernel that uses one register too many loses
a whole resident block: 11 registers instead of 10 cost a third of the threads on the first CUDA
devices. Conversely, a small saving brings the block back.

## Example

    $ warplint check blur.cu --ptxas-log build.log
    34 registers, 256 threads: 6 blocks, 75 %; with 2 registers fewer: 8 blocks, 100 %

## Use instead

```cuda
__global__ void __launch_bounds__(256, 8) blur(...)   // ptxas stays at 32 registers
```

## Known problems

Up to 4 registers and 1,024 bytes of shared memory count as a few; the number of registers can be
changed (`thresholds`). Whether more warps make the kernel faster, only a measurement shows. Without
measured registers nothing is reported: estimates are not exact enough.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block
from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import section
from ...analyzer.resources.occupancy import Resource, block_occupancy
from ...analyzer.source.words import percent, plural
from .._shared.occupancy import occupancy_facts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.launch.residency import Residency
    from ...analyzer.resources.occupancy import Occupancy

RULE = Rule(
    code="OCC003",
    name="occupancy-cliff",
    summary="a few registers or bytes too many for one more resident block",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
)

THRESHOLD = 4  # registers
NEAR_BYTES = 1024
_WORTH = 0.1  # of the multiprocessor's warps; 17 blocks instead of 16 are no cliff


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for a kernel: the launch that would gain most."""
    from ...analyzer.analyses.launch.residency import residency

    near = facts.options.thresholds.get(RULE.code, THRESHOLD)
    best: tuple[Residency, Occupancy] | None = None
    for launch in facts.launches:
        found = residency(facts.kernel, launch.launch, facts.build)
        stated = launch.launch.trusted and not (launch.launch.guessed or launch.launch.inferred)
        better = _better(found.occupancy, near) if found.exact and stated else None
        if better is None or _gain(found, better) < _WORTH:
            continue
        if best is None or _gain(found, better) > _gain(*best):
            best = (found, better)
    if best is not None:
        yield _finding(facts, *best)


def _gain(found: Residency, better: Occupancy) -> float:
    return better.fraction - found.occupancy.fraction


def _better(it: Occupancy, near: float) -> Occupancy | None:
    """The occupancy with a little less of what limits alone; None where that changes nothing."""
    if not it.blocks or len(it.limiters) != 1:
        return None
    if Resource.REGISTERS in it.limiters:
        for fewer in range(1, int(near) + 1):
            less = replace(it.block, registers=max(1, it.block.registers - fewer))
            better = block_occupancy(it.architecture, less)
            if better.blocks > it.blocks:
                return better
    if Resource.SHARED in it.limiters:
        return _with_less_shared(it)
    return None


def _with_less_shared(it: Occupancy) -> Occupancy | None:
    """One more block in what the multiprocessor is set up with, by a few bytes less."""
    arch, block = it.architecture, it.block
    share = it.shared_capacity // (it.blocks + 1) // arch.shared_unit * arch.shared_unit
    fewer = block.static_shared + block.dynamic_shared - (share - arch.shared_reserved)
    if not 0 < fewer <= min(NEAR_BYTES, block.static_shared + block.dynamic_shared):
        return None
    from_dynamic = min(fewer, block.dynamic_shared)
    less = replace(
        block,
        dynamic_shared=block.dynamic_shared - from_dynamic,
        static_shared=block.static_shared - (fewer - from_dynamic),
    )
    better = block_occupancy(arch, less)
    return better if better.blocks > it.blocks else None


def _finding(facts: KernelFacts, found: Residency, better: Occupancy) -> Finding:
    it, launch = found.occupancy, found.launch
    registers = it.block.registers - better.block.registers
    shared = it.block.static_shared + it.block.dynamic_shared
    shared -= better.block.static_shared + better.block.dynamic_shared
    what = plural(registers, "register") if registers else plural(shared, "byte")
    what += " of shared memory" if shared else ""
    text = (
        f"{what} too many for {better.blocks} resident blocks instead of {it.blocks} "
        f"({percent(better.fraction)} instead of {percent(it.fraction)} occupancy on "
        f"{it.architecture.name})"
    )
    return Finding(
        RULE,
        facts.kernel.span,
        (Part(text),),
        facts.kernel.label,
        RULE.severity,
        label=f"{plural(it.block.registers, 'register')}, {plural(launch.threads, 'thread')}",
        evidence=(
            Fact("fewer_registers", registers),
            Fact("fewer_bytes", shared),
            Fact("better_blocks", better.blocks),
            Fact("better_occupancy", round(better.fraction, 4)),
            *occupancy_facts(found),
        ),
        assumptions=(assumed_block(launch),),
        fixes=(Fix(_advice(better, launch.threads, registers, shared)),),
        verify=section("Occupancy", "Block Limit Registers, Block Limit Shared Mem"),
        arch=it.architecture.capability,
    )


def _advice(better: Occupancy, threads: int, registers: int, shared: int) -> str:
    if registers:
        return f"try `__launch_bounds__({threads}, {better.blocks})`, and measure it"
    return f"make the shared arrays {plural(shared, 'byte')} smaller, and measure it"
