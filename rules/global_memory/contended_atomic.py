"""
## What it does

Finds atomics by which all lanes of a warp update the same address of global memory, and which the
compiler does not combine: additions of `float`, `double` and 64-bit integers, `atomicInc`.

## Why is this bad?

Atomics on the same address serialise. A warp that adds 32 numbers to one sum waits for 32 of them,
and so does every other warp that updates the same address. For 32-bit integers the compiler reduces
over the warp by itself; for floating-point numbers it must not.

In Nsight Compute, `lts__t_sectors_op_red.sum` and `lts__t_sectors_op_atom.sum` exceed one per warp.

## Example

```cuda
float x = in[blockIdx.x * blockDim.x + threadIdx.x];
atomicAdd(sum, x);                               // 32 additions per warp
```

## Use instead

```cuda
float x = in[blockIdx.x * blockDim.x + threadIdx.x];
for (int d = 16; d > 0; d /= 2)
    x += __shfl_down_sync(0xffffffff, x, d);
if (threadIdx.x % 32 == 0)
    atomicAdd(sum, x);                           // one per warp
```

## Known problems

How often the atomic executes is unknown: in a kernel launched with few threads it does not matter.
Atomics under a condition that depends on loaded data are not reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import counters
from .._shared.accesses import (
    array_of,
    assumptions_of,
    object_part,
    origin_facts,
    place_of,
    related_places,
)
from .._shared.places import once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.warp_evaluation.lane_addresses import LaneAddress

RULE = Rule(
    code="GLB009",
    name="contended-atomic",
    summary="all lanes of a warp update the same address, so their atomics serialise",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place whose atomics serialise, as all lanes update one address."""
    from ...analyzer.analyses.memory_traffic.contended_atomics import contended_atomics

    for address in once_each(contended_atomics(facts), lambda address: place_of(address)):
        yield _finding(facts, address)


def _finding(facts: KernelFacts, address: LaneAddress) -> Finding:
    operation = address.access
    lanes = sum(address.mask)
    message = (
        Part(f"{'all 32' if lanes == 32 else lanes} lanes of a warp update the same address of "),
        object_part(address, "global memory"),
        Part(": the atomics serialise"),
    )
    return Finding(
        RULE,
        operation.location.span,
        message,
        facts.kernel.label,
        RULE.severity,
        label=f"{lanes} atomics per warp, ideal 1",
        evidence=tuple(_evidence(address)),
        assumptions=tuple(assumptions_of(address)),
        related=related_places(address),
        array=array_of(address),
        fixes=(
            Fix(
                "reduce over the warp first (`__shfl_down_sync` or `cg::reduce`), and let one lane "
                "add the result"
            ),
        ),
        verify=counters("lts__t_sectors_op_red.sum", "lts__t_sectors_op_atom.sum"),
    )


def _evidence(address: LaneAddress) -> Iterator[Fact]:
    operation = address.access
    yield Fact("lanes", sum(address.mask))
    yield Fact("operation", operation.atomic)
    yield Fact("type", str(operation.element))
    yield from origin_facts(address)
