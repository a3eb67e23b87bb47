"""
## What it does

Finds loads by the read-only path, `__ldg` or `ld.global.nc`, from memory that the same kernel
writes, where what is loaded may have been written since the kernel began.

## Why is this bad?

That path may keep what it has read and is not told of writes: such a load may return old values, on
some GPUs and at some sizes. The PTX manual leaves the result undefined.

## Example

```cuda
float left = __ldg(&a[i - 1]);
a[i] = 0.5f * left;
```

## Use instead

```cuda
float left = __ldg(&a[i - 1]);
b[i] = 0.5f * left;
```

## Known problems

Pointers of two parameters are taken to lead to different arrays. The PTX manual leaves the result
undefined wherever the kernel writes; a thread that loads its own element and then stores to it
gets what was there on every GPU so far, and is not reported. Two computed indices, `a[i]` and
`a[n + i]`, are reported where a run of a block shows two threads at one element.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from .._shared.places import call_sites, object_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="MEM009",
    name="read-only-load-of-written",
    summary="a load by the read-only path from memory that the kernel writes",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    costly=True,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each object that the kernel writes, at its first load through `__ldg`."""
    from ...analyzer.analyses.races.shown_stale_loads import shown_stale_loads

    for found in shown_stale_loads(facts):
        name = object_name(found.item)
        yield Finding(
            RULE,
            found.load.location.span,
            (Part(f"{name} is loaded by the read-only path, but the kernel writes {name} too"),),
            facts.kernel.label,
            RULE.severity,
            label="may return old values",
            evidence=(Fact("object", name),),
            related=(
                Related(found.write.location.span, f"{name} is written here"),
                *call_sites(found.load.location),
            ),
            fixes=(Fix("load it plainly, or write to another array"),),
        )
