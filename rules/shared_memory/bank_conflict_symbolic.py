"""
## What it does

Finds accesses to shared memory whose stride between lanes is a parameter, such as
`tile[threadIdx.x * pitch]`, counts the wavefronts for every value of the parameter, and states the
condition under which there is no bank conflict.

## Why is this bad?

Shared memory has 32 banks of 4 bytes. Whether reading a column of a tile is conflict-free or takes
32 wavefronts depends only on its pitch; if the host computes the pitch, the kernel does not show
it.

Nsight Compute's source page shows it as `memory_l1_wavefronts_shared` against its `_ideal`, and as
`derived__memory_l1_conflicts_shared_nway`.

## Example

```cuda
extern __shared__ float tile[];
...
sum += tile[threadIdx.x * pitch + k];    // conflict-free if pitch is odd, 32-way if it is 32
```

## Use instead

```cuda
int padded = pitch | 1;                  // an odd pitch, in elements of 4 bytes
...
sum += tile[threadIdx.x * padded + k];   // launched with the larger tile
```

## Known problems

A note, not a defect: the host may well pass a conflict-free pitch. The compiler's merging of
neighbouring accesses is not counted here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import source_counters
from .._shared.accesses import (
    array_of,
    assumptions_of,
    direction_of,
    object_part,
    origin_facts,
    related_places,
)
from .._shared.doubts import doubts_about

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.memory_traffic.symbolic_stride import SymbolicStride

RULE = Rule(
    code="SHM002",
    name="bank-conflict-symbolic",
    summary="a parameter decides whether accesses to shared memory have bank conflicts",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
    judged=("bank-stride",),
)

THRESHOLD = 2.0  # wavefronts per ideal wavefront
FEW_LANES = 8  # a quarter of a warp
_PERIOD = 128  # elements after which every pattern of banks has come round
_VERIFY = source_counters("memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal")


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each object and stride, at the deepest in loops of its accesses."""
    from ...analyzer.analyses.memory_traffic.access_weight import loop_depth
    from ...analyzer.analyses.memory_traffic.symbolic_stride import symbolic_strides
    from ...analyzer.ir.memory import Space

    groups: dict[Hashable, list[SymbolicStride]] = {}
    for stride in symbolic_strides(facts, Space.SHARED):
        if sum(stride.address.mask) >= FEW_LANES:
            object = stride.address.object
            key = (object or stride.address.access, stride.address.access.width, stride.step)
            groups.setdefault(key, []).append(stride)
    for group in groups.values():
        chosen = max(group, key=lambda item: loop_depth(facts, item.address.access))
        degrees = _degrees(facts, chosen)
        if max(degrees.values()) >= THRESHOLD:
            yield _finding(facts, chosen, degrees, len(group))


def _degrees(facts: KernelFacts, stride: SymbolicStride) -> dict[int, float]:
    """Wavefronts per ideal wavefront for each value of the parameter, in elements."""
    from ...analyzer.analyses.memory_traffic.shared_accesses import kind_of
    from ...analyzer.hardware.banks import shared_wavefronts

    access = stride.address.access
    kind = kind_of(facts, access)
    return {
        number: shared_wavefronts(
            stride.offsets(number), access.width or 0, kind, facts.architecture
        ).degree
        for number in range(1, _PERIOD + 1)
    }


def _condition(degrees: dict[int, float], name: str) -> str:
    """When there is no conflict, in words."""
    free = {number for number, degree in degrees.items() if degree < THRESHOLD}
    if not free:
        return f"for every value of {name}"
    for divisor in (2, 4, 8, 16, 32, 64):
        if free == {number for number in degrees if number % divisor}:
            what = "odd" if divisor == 2 else f"not a multiple of {divisor}"
            return f"unless {name} is {what}"
        if free == {number for number in degrees if not number % divisor}:
            what = "even" if divisor == 2 else f"a multiple of {divisor}"
            return f"unless {name} is {what}"
    return f"with none for {len(free)} of {len(degrees)} values of {name}"


def _finding(
    facts: KernelFacts, stride: SymbolicStride, degrees: dict[int, float], count: int
) -> Finding:
    from ...analyzer.analyses.doubts.costs.candidates import StrideCandidate
    from ...analyzer.analyses.doubts.doubts_of_costs import OF_BANKS

    address = stride.address
    operation = address.access
    worst = max(degrees.values())
    names = " * ".join(stride.names)
    message = (
        Part(f"a warp's {direction_of(address)} "),
        object_part(address, "shared memory"),
        Part(f": bank conflicts up to {worst:.3g}-way, {_condition(degrees, names)}"),
    )
    return Finding(
        RULE,
        operation.location.span,
        message,
        facts.kernel.label,
        RULE.severity,
        label=f"neighbouring lanes are {stride.step} bytes apart",
        evidence=tuple(_evidence(stride, degrees, count)),
        assumptions=tuple(assumptions_of(address)),
        related=related_places(address),
        array=array_of(address),
        fixes=(Fix(f"choose {names} so that there is no conflict, for example by padding"),),
        verify=_VERIFY,
        doubts=doubts_about(facts, OF_BANKS, StrideCandidate(facts, (stride,))),
    )


def _evidence(stride: SymbolicStride, degrees: dict[int, float], count: int) -> Iterator[Fact]:
    worst = max(degrees.values())
    when = min(number for number, degree in degrees.items() if degree == worst)
    names = " * ".join(stride.names)
    yield Fact("worst_degree", round(worst, 3), f"{worst:.3g}-way if {names} = {when}, for example")
    yield Fact("worst_value", when)
    yield Fact("stride", stride.step)
    yield Fact("stride_symbols", list(stride.names))
    shown = [number for number in (16, 17, 32, 33, 64, 65, 128) if number in degrees]
    table = ", ".join(f"{degrees[number]:.3g}-way at {number}" for number in shown)
    yield Fact("degrees", {str(n): round(degrees[n], 3) for n in shown}, f"for {names}: {table}")
    if count > 1:
        yield Fact("accesses", count, f"{count} accesses have this stride")
    yield from origin_facts(stride.address)
