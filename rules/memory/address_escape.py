"""
## What it does

Finds stores to global memory of the address of a variable in shared or local memory.

## Why is this bad?

Shared memory lives as long as its block, local memory as long as its thread. Whoever follows the
pointer later, another kernel or another block, reads what is there by then, or fails: the address
means something else in each block.

## Example

```cuda
__device__ float *best_row;
__global__ void pick(const float *in) {
    __shared__ float row[128];
    ...
    if (threadIdx.x == 0) best_row = row;
}
```

## Use instead

```cuda
__device__ float best_row[128];
...
best_row[threadIdx.x] = row[threadIdx.x];
```

## Known problems

Addresses that are kept as integers, or as members of a class that is stored as a whole, are not
seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.ir.memory import Space
from .._shared.places import call_sites, object_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="MEM005",
    name="address-escape",
    summary="the address of shared or local memory is stored in global memory",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-562",),
)

_LIVES = {Space.SHARED: "its block", Space.LOCAL: "its thread"}


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each store."""
    from ...analyzer.analyses.pointers.escaping_addresses import escaping_addresses

    for found in escaping_addresses(facts):
        name, lives = object_name(found.item), _LIVES[found.item.space]
        declared = () if found.item.span is None else (Related(found.item.span, "declared here"),)
        yield Finding(
            RULE,
            found.store.location.span,
            (
                Part(f"the address of {name} is stored in global memory, but {name} lives "),
                Part(f"as long as {lives}"),
            ),
            facts.kernel.label,
            RULE.severity,
            label=f"an address in {found.item.space.value} memory",
            evidence=(Fact("object", name), Fact("space", found.item.space.value)),
            related=(*declared, *call_sites(found.store.location)),
            fixes=(Fix("store the elements, not the address"),),
        )
