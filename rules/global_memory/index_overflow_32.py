"""
## What it does

Finds 32-bit products that the kernel then uses as 64-bit numbers: `size_t offset = row * width`
with two `int`, a cast that comes too late, `p[size_t(row * width)]`, `int i = blockIdx.x *
blockDim.x + threadIdx.x` compared with a 64-bit `n`, or a pointer to a row, `float* q = p + row *
width`. Also products of 64 bits that are put into a 32-bit index: `int i = size_t(row) * width +
column`; and any index whose launch says that it gets too large.

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

Grids, arguments and host code such as `min(blocks, 65535)` or `if (n > 4096) return;` say how large
the numbers get; where they do not, it is unknown: where every array is small, nothing overflows.
What no launch is known to reach is therefore only a note: one for all the kernels of a run whose
index of a thread is compared with a 64-bit size; the others are one finding for a file. Only
`possible` are an unsigned index of a thread, since a grid of 4,294,967,296 threads is rare, and
pointers to rows, since nothing says that the matrix is so large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Joins, Rule
from .._shared.doubts import doubts_about
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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


_WIDENED = "32-bit product, widened after the multiply"
_KEEP = "keep the index in 64 bits, too: `size_t i = ...`"


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place of the source; one for all pointers to rows."""
    from ...analyzer.analyses.memory_traffic.narrow_products import ProductUse, narrow_products

    every = list(once_each(narrow_products(facts), lambda found: found.product.location.span))
    pointers = [found for found in every if found.use is ProductUse.POINTER]
    for found in every:
        if found not in pointers:
            yield _finding(facts, found)
        elif found is pointers[0]:
            yield _finding(facts, found, pointers[1:])


def _finding(
    facts: KernelFacts, found: NarrowProduct, others: Sequence[NarrowProduct] = ()
) -> Finding:
    from ...analyzer.analyses.doubts.registry import OF_PRODUCTS
    from ...analyzer.analyses.memory_traffic.narrow_products import ProductUse

    location, use = found.product.location, found.use
    narrowed = use is ProductUse.NARROWED
    message = (
        Part(f"this product is computed in {64 if narrowed else 32} bits and then "),
        Part(use.value),
        Part(f": it overflows at {found.wraps_at:,}"),
    )
    return Finding(
        RULE,
        location.span,
        message,
        facts.kernel.label,
        RULE.severity if found.stated else Severity.NOTE,
        label="narrowed after the multiply" if narrowed else _WIDENED,
        evidence=(
            Fact("type", str(found.result)),
            Fact("wraps_at", found.wraps_at),
            Fact("use", use.value),
        ),
        related=(*call_sites(location), *(_place(each) for each in others)),
        fixes=(Fix(_KEEP if narrowed else "widen one factor first: `size_t(a) * b`"),),
        doubts=doubts_about(facts, OF_PRODUCTS, found),
        joins=Joins.HABIT if use is ProductUse.COMPARED and found.counts_threads else Joins.FILE,
    )


def _place(found: NarrowProduct) -> Related:
    return Related(found.product.location.span, "and here")
