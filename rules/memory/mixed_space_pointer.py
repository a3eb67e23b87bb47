"""
## What it does

Finds loads and stores through a pointer that points to different memory spaces depending on the
path taken: to shared memory on one, to global memory on another.

## Why is this bad?

The compiler must then use generic loads and stores, which resolve the memory space of each address
at run time, wait for both kinds of memory, and keep the compiler from merging and reordering
accesses as it does in shared memory.

## Example

```cuda
const float* row = use_tile ? tile : in + i * n;    // shared or global
for (int k = 0; k < n; ++k)
    sum += row[k];                                  // a generic load
```

## Use instead

```cuda
if (use_tile)
    for (int k = 0; k < n; ++k) sum += tile[k];
else
    for (int k = 0; k < n; ++k) sum += in[i * n + k];
```

## Known problems

The compiler may split the loop in two by itself when the condition is invariant in it. Pointers
loaded from memory are not reported, since the values stored there are not distinguished, nor those
to local memory, where they put the array (LOC001).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import source_counters
from .._shared.places import object_name

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.memory import MemoryObject
    from ...analyzer.ir.operations import MemoryAccess

RULE = Rule(
    code="MEM002",
    name="mixed-space-pointer",
    summary="a pointer to several memory spaces, whose loads and stores are generic",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each set of objects that a pointer points to, at its first access."""
    from ...analyzer.ir.memory import Space

    told: set[Hashable] = set()
    for access in facts.accesses:
        spaces = facts.points_to.spaces(access)
        if len(spaces) < 2 or Space.GENERIC in spaces or access.width is None:
            continue  # what has an unknown type may be a pointer or hold one
        if Space.LOCAL in spaces:
            continue  # that an array is in local memory for it costs more: LOC001
        targets = facts.points_to.of(access.address)
        if targets not in told and facts.points_to.is_chosen(access.address):
            told.add(targets)
            objects = sorted(
                (item for item in targets if item is not None),
                key=lambda item: (item.space.value, item.name),
            )
            yield _finding(facts, access, objects)


def _finding(facts: KernelFacts, access: MemoryAccess, objects: list[MemoryObject]) -> Finding:
    where = " or ".join(f"{item.space.value} memory ({object_name(item)})" for item in objects)
    return Finding(
        RULE,
        access.location.span,
        (Part(f"generic {access.kind.value}: the pointer points to {where}"),),
        facts.kernel.label,
        RULE.severity,
        label="memory space resolved at run time",
        evidence=(
            Fact("spaces", [*dict.fromkeys(item.space.value for item in objects)]),
            Fact("objects", [item.name for item in objects]),
        ),
        related=tuple(
            Related(item.span, f"{object_name(item)} is in {item.space.value} memory")
            for item in objects
            if item.span is not None
        ),
        fixes=(Fix("use one pointer per memory space, and branch around separate accesses"),),
        verify=f"{source_counters()}  # LD or ST where LDS, LDG, STS or STG would do",
    )
