"""
## What it does

Finds loads and stores of 1, 2 or 4 bytes by which each thread accesses consecutive elements one by
one, where a single access of 8 or 16 bytes would do and would be aligned.

## Why is this bad?

An instruction that accesses 16 bytes per thread costs as much to issue as one that accesses 4. Four
narrow accesses take four times the instructions, addresses and requests, and each of them touches
all the sectors that one wide access would. The compiler cannot merge them: it does not know that
the pointer is aligned.

Nsight Compute's source page shows `memory_l2_theoretical_sectors_global` above its `_ideal`, and
the instructions executed of the line.

## Example

```cuda
int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
out[i] = in[i]; out[i + 1] = in[i + 1]; out[i + 2] = in[i + 2]; out[i + 3] = in[i + 3];
```

## Use instead

```cuda
int i = blockIdx.x * blockDim.x + threadIdx.x;
reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
```

## Known problems

Off unless selected: the accesses use their sectors together, so that most of what a vector saves is
instructions. On an H100 four floats of a thread took as long as one `float4`, to one part in a
hundred, where memory was the limit; of data that fits into L2, storing them took 26 % longer.
Pointers are assumed to be aligned as `cudaMalloc` aligns them: if a caller passes `p + 1`, a vector
access fails. The remaining elements at the end of an array need a separate loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import aligned_pointer
from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import source_counters
from ...analyzer.source.words import plural
from .._shared.accesses import (
    array_of,
    assumptions_of,
    origin_facts,
    place_of,
    related_places,
)
from .._shared.places import object_name, once_each
from .._shared.vectors import vector_type

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.memory_traffic.narrow_accesses import NarrowRun

RULE = Rule(
    code="GLB004",
    name="narrow-access",
    summary="a thread accesses consecutive elements one by one where a vector would do",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
    default=False,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each object, direction and basic block, at the first of its accesses."""
    from ...analyzer.analyses.memory_traffic.narrow_accesses import narrow_runs

    groups: dict[Hashable, list[NarrowRun]] = {}
    for run in narrow_runs(facts):
        address = run.addresses[0]
        key = (address.access.block, address.object, address.access.kind)
        groups.setdefault(key, []).append(run)
    for runs in once_each(groups.values(), lambda runs: place_of(runs[0].addresses[0])):
        yield _finding(facts, runs)


def _finding(facts: KernelFacts, runs: list[NarrowRun]) -> Finding:
    run = max(runs, key=lambda item: item.vector)
    address = run.addresses[0]
    operation, object = address.access, address.object
    assert object is not None
    direction = "from" if operation.reads else "to"
    message = (
        Part(f"{run.count} {operation.kind.value}s of {plural(run.width, 'byte')} {direction} "),
        Part(object_name(object), object.span),
        Part(f" per thread where one {run.vector}-byte {operation.kind.value} would do"),
    )
    return Finding(
        RULE,
        operation.location.span,
        message,
        facts.kernel.label,
        RULE.severity,
        label=f"{run.count} × {8 * run.width} bits, ideal 1 × {8 * run.vector} bits",
        evidence=tuple(_evidence(runs, run)),
        assumptions=(
            *assumptions_of(address),
            aligned_pointer(object_name(object), run.vector),
        ),
        related=related_places(address),
        array=array_of(address),
        fixes=(Fix(_advice(run, object_name(object))),),
        verify=source_counters("inst_executed of this line"),
    )


def _advice(run: NarrowRun, name: str) -> str:
    vector = vector_type(run.addresses[0].access.element, run.vector)
    if run.addresses[0].access.reads:
        return f"load a vector: `reinterpret_cast<const {vector}*>({name})[i]`"
    return f"store a vector: `reinterpret_cast<{vector}*>({name})[i]`"


def _evidence(runs: list[NarrowRun], run: NarrowRun) -> Iterator[Fact]:
    yield Fact("accesses", run.count)
    yield Fact("width_bytes", run.width)
    yield Fact("vector_bytes", run.vector)
    if run.iterations:
        text = f"the loop accesses them in {plural(run.iterations, 'iteration')}"
        yield Fact("rounds", run.iterations, text)
    if len(runs) > 1:
        yield Fact("vectors", len(runs), f"{len(runs)} such vectors are accessed here")
    yield from origin_facts(run.addresses[0])
