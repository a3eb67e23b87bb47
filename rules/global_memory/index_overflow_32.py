"""
## What it does

Finds 32-bit products that the kernel then uses as 64-bit numbers: `size_t offset = row * width`
with two `int`, or `int i = blockIdx.x * blockDim.x + threadIdx.x` compared with a 64-bit `n`.

## Why is this bad?

The type of a product is that of its factors. It has overflowed before it is widened: from 2^31 on,
an `int` index is negative, the loop `i < n` never ends, and accesses hit the wrong addresses.
Neither nvcc nor a small test reveals it.

## Example

```cuda
__global__ void scale(float* p, size_t n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= 2.0f;
}
```

## Use instead

```cuda
__global__ void scale(float* p, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= 2.0f;
}
```

## Known problems

How large the numbers get is unknown: where every array is small, nothing overflows. An index
computed from blockIdx and blockDim is therefore only a note, and only `possible` if it is unsigned:
a grid of 4,294,967,296 threads is rare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from .._shared.doubts import doubts_about
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.memory_traffic.narrow_products import NarrowProduct

RULE = Rule(
    code="GLB007",
    name="index-overflow-32",
    summary="a product computed in 32 bits and widened to 64 bits afterwards",
    category=Category.SUSPICIOUS,
    severity=Severity.WARNING,
    judged=("narrow-product",),
    references=("CWE-190",),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place of the source."""
    from ...analyzer.analyses.memory_traffic.narrow_products import narrow_products

    for found in once_each(narrow_products(facts), lambda found: found.product.location.span):
        yield _finding(facts, found)


def _finding(facts: KernelFacts, found: NarrowProduct) -> Finding:
    from ...analyzer.analyses.doubts.registry import OF_PRODUCTS

    location = found.product.location
    use = "stored in a 64-bit variable" if found.size is None else "compared with a 64-bit size"
    message = (
        Part("this product is computed in 32 bits and then "),
        Part(use),
        Part(f": it overflows at {found.wraps_at:,}"),
    )
    return Finding(
        RULE,
        location.span,
        message,
        facts.kernel.label,
        Severity.NOTE if found.counts_threads else RULE.severity,
        label="32-bit product, widened after the multiply",
        evidence=(
            Fact("type", str(found.result)),
            Fact("wraps_at", found.wraps_at),
            Fact("use", use),
        ),
        related=call_sites(location),
        fixes=(Fix("widen one factor first: `size_t(a) * b`"),),
        doubts=doubts_about(facts, OF_PRODUCTS, found),
    )
