"""
## What it does

Finds kernels that read a texture reference, or use a surface reference, declared at file scope.

## Why is this bad?

Texture and surface references were deprecated in CUDA 11.3 and removed in CUDA 12.0: newer
toolkits do not compile the declaration. Texture objects are kernel parameters, so that one kernel
can read several images, and need no call before each launch.

## Example

```cuda
texture<float, 2> image;
__global__ void smooth(float *out) {
    out[threadIdx.x] = tex2D(image, threadIdx.x, 0);
}
```

## Use instead

```cuda
__global__ void smooth(cudaTextureObject_t image, float *out) {
    out[threadIdx.x] = tex2D<float>(image, threadIdx.x, 0);
}
```

## Known problems

References that no kernel of the file uses are not reported, nor what `#if CUDART_VERSION < 12000`
leaves to older toolkits. Calls that bind references are API003, in files whose kernels use none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Input, Joins, Rule
from ...analyzer.ir.memory import Space

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="CON004",
    name="texture-reference",
    summary="a texture or surface reference, which CUDA 12 removed",
    category=Category.SUSPICIOUS,
    severity=Severity.WARNING,
    inputs=frozenset({Input.CUDA}),
    joins=Joins.HABIT,
)

_OBJECTS = {Space.TEXTURE: "cudaTextureObject_t", Space.SURFACE: "cudaSurfaceObject_t"}


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each texture or surface reference that the kernel uses, at its
    declaration.
    """
    for variable in facts.kernel.variables:
        if variable.space not in _OBJECTS or variable.span is None:
            continue
        kind, replacement = variable.space.value, _OBJECTS[variable.space]
        yield Finding(
            RULE,
            variable.span,
            (Part(variable.name, variable.span), Part(f" is a {kind} reference: CUDA 12 has none")),
            facts.kernel.label,
            RULE.severity,
            label="removed in CUDA 12.0",
            evidence=(Fact("reference", variable.name), Fact("kind", kind)),
            fixes=(Fix(f"pass a {replacement} to the kernel"),),
        )
