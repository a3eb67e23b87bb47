"""
## What it does

Finds kernels that read one `extern __shared__` array after writing another: they alias. Arrays that
are used one after the other, each filled before it is read, are not reported.

## Why is this bad?

Every `extern __shared__` array of a kernel starts at the same address, whatever its name and type.
Two of them are not two arrays: a store to one changes the other. `nvcc` does not warn about it.

## Example

```cuda
extern __shared__ float sums[];
extern __shared__ int counts[];           // the same bytes as sums
sums[threadIdx.x] = 0.0f;
counts[threadIdx.x] = 1;
```

## Use instead

```cuda
extern __shared__ float sums[];
int *counts = (int *)&sums[blockDim.x];
```

## Known problems

Code that reinterprets one type as another on purpose looks the same. A cast of the first array
states it more clearly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.analyses.dataflow.affine import counted_from
from ...analyzer.analyses.pointers.last_writers import mistaken_reads
from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Input, Rule
from ...analyzer.ir.values import ObjectAddress

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.memory import Variable
    from ...analyzer.ir.operations import MemoryAccess
    from ...analyzer.ir.values import Value
    from ...analyzer.source.text import Span

RULE = Rule(
    code="SHM008",
    name="extern-shared-alias",
    summary="two extern __shared__ arrays of one kernel, which alias",
    category=Category.SUSPICIOUS,
    severity=Severity.WARNING,
    inputs=frozenset({Input.CUDA}),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each array that is mixed up with one declared before it."""
    arrays = _arrays(facts)
    names = _names(facts, arrays)
    filled = {names[access] for access in names if access.writes}
    stores = {names[access]: access for access in reversed(names) if access.writes}
    overwriting: dict[tuple[str, str], set[str]] = {}
    for access, writers in mistaken_reads(facts.flow, names):
        if names[access] in filled:
            for writer in writers:
                first, second = (each for each in arrays if each in (names[access], writer))
                overwriting.setdefault((first, second), set()).add(writer)
    for name in arrays:
        others = [first for first in arrays if (first, name) in overwriting]
        if others:
            by_name = name in overwriting[others[0], name]
            store = stores[name if by_name else others[0]]
            yield _finding(facts, store, names[store], (arrays[name], arrays[others[0]]))


def _names(facts: KernelFacts, arrays: Mapping[str, Variable]) -> dict[MemoryAccess, str]:
    """The accesses to the dynamic part that are written with the name of one array."""
    declared = {array.span: name for name, array in arrays.items()}
    names: dict[MemoryAccess, str] = {}
    for access in facts.accesses:
        base = _base(access.address)
        if base is not None and base.declared in declared and _is_named(access, base):
            names[access] = declared[base.declared]
    return names


def _base(address: Value) -> ObjectAddress | None:
    """The dynamic part, where an address counts from there."""
    base = counted_from(address)
    return base if isinstance(base, ObjectAddress) and base.object.dynamic else None


def _is_named(access: MemoryAccess, base: ObjectAddress) -> bool:
    """Whether the array stands in the expression itself, not behind a pointer made before."""
    return base.named_at is not None and access.location.span.covers(base.named_at)


def _arrays(facts: KernelFacts) -> dict[str, Variable]:
    """The arrays that the kernel itself or the file declares, by name."""
    body = facts.kernel.body_span
    return {
        item.name: item
        for item in facts.kernel.variables
        if item.object is not None and item.object.dynamic and item.span is not None
        if body.covers(item.span) or not _in_function(facts, item.span)
    }


def _in_function(facts: KernelFacts, span: Span) -> bool:
    return any(function.body_span.covers(span) for function in facts.module.functions)


def _finding(
    facts: KernelFacts, store: MemoryAccess, stored: str, arrays: tuple[Variable, Variable]
) -> Finding:
    array, first = arrays
    lost = first if stored == array.name else array
    return Finding(
        RULE,
        store.location.span,
        (
            Part(array.name, array.span),
            Part(" and "),
            Part(first.name, first.span),
            Part(" alias: all extern __shared__ arrays of a kernel start at the same address"),
        ),
        facts.kernel.label,
        RULE.severity,
        label=f"overwrites {lost.name}",
        evidence=(Fact("arrays", [array.name, first.name]),),
        related=tuple(
            Related(each.span, f"{each.name} is declared here")
            for each in (first, array)
            if each.span is not None
        ),
        fixes=(Fix(f"declare {first.name} only, and let {array.name} point past its elements"),),
    )
