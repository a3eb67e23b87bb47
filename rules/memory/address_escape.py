"""
## What it does

Finds stores to global memory of the address of a variable in shared or local memory, and accesses
to a local variable after the device function that declares it has returned its address.

## Why is this bad?

Shared memory lives as long as its block, local memory as long as its thread. Whoever follows the
pointer later, another kernel or another block, reads what is there by then, or fails: the address
means something else in each block. A variable of a device function lives until the function
returns: the stack frame behind a returned address belongs to whatever is called next.

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
seen. A returned address is reported where a kernel of the file follows it. That of an array in
shared memory may be returned: the array lives as long as the block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.ir.memory import Space
from .._shared.places import call_sites, declared_here, object_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.pointers.escaping_addresses import DanglingAccess

RULE = Rule(
    code="MEM005",
    name="address-escape",
    summary="the address of shared or local memory outlives what is stored there",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-562",),
)

_LIVES = {Space.SHARED: "its block", Space.LOCAL: "its thread"}


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each store of an address that outlives its shared or local variable."""
    from ...analyzer.analyses.pointers.escaping_addresses import (
        dangling_accesses,
        escaping_addresses,
    )

    for dangling in dangling_accesses(facts):
        yield _dangling(facts, dangling)
    for found in escaping_addresses(facts):
        name, lives = object_name(found.item), _LIVES[found.item.space]
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
            related=(*declared_here(found.item), *call_sites(found.store.location)),
            fixes=(Fix("store the elements, not the address"),),
        )


def _dangling(facts: KernelFacts, found: DanglingAccess) -> Finding:
    name, function = object_name(found.item), found.function.name
    followed = found.access.location.span
    places = declared_here(found.item)
    if found.returned is not None:
        places = (*places, Related(followed, "followed here"))
    return Finding(
        RULE,
        found.returned or followed,
        (
            Part(f"the address of {name} outlives the call of {function}: "),
            Part(f"line {followed.line} follows it after {function} has returned"),
        ),
        facts.kernel.label,
        RULE.severity,
        label=f"{name} ends here" if found.returned is not None else f"{name} has ended",
        evidence=(Fact("object", name), Fact("function", function)),
        related=(*places, *call_sites(found.access.location)),
        fixes=(Fix(f"let the caller declare {name} and pass its address to {function}"),),
    )
