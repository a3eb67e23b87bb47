"""
## What it does

Finds kernels with more than 48 KB of static shared memory, launches that need more than 48 KB in
total without having opted in, and launches that need more than the architecture has.

## Why is this bad?

ptxas rejects static arrays over 48 KB. Dynamic shared memory beyond 48 KB is only available to
kernels for which `cudaFuncSetAttribute` has set `cudaFuncAttributeMaxDynamicSharedMemorySize`; any
other launch fails, and the output buffers keep their old contents.

## Example

```cuda
gemm<<<grid, 256, 64 * 1024>>>(a, b, c);  // fails: 64 KB
```

## Use instead

```cuda
cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024);
gemm<<<grid, 256, 64 * 1024>>>(a, b, c);
```

## Known problems

A file that names the attribute anywhere is assumed to set it for every kernel, and one that queries
the device limit is assumed to launch only what fits. Sizes that depend on unknown template
arguments are not checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.ir.kernel import HostStep
from ...analyzer.source.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.kernel import Launch

RULE = Rule(
    code="SHM007",
    name="smem-over-48k",
    summary="shared memory beyond the 48 KB default limit, or beyond what the GPU has",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
)

_OPT_IN = "call `cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)`"


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for too much static shared memory, else one for each launch with too much."""
    arch = facts.architecture
    static = facts.build.usage.static_shared.value
    if static is None:
        return
    if static > arch.shared_per_block:
        yield _static(facts, static)
        return
    most = arch.most_shared_per_block
    for launch in facts.kernel.launches:  # one that asks what the device has may stand behind that
        if HostStep.ASKS_FOR_SHARED in launch.steps:
            continue
        total = static + (launch.dynamic_shared or 0)
        if total > most:
            text = f"{total:,} bytes of shared memory exceed the {most:,} that {arch.name} has"
            yield _launch(facts, launch, text, (static, most))
        elif total > arch.shared_per_block and HostStep.RAISES_SHARED not in launch.steps:
            text = (
                f"{total:,} bytes of shared memory exceed the {arch.shared_per_block // 1024} KB "
                "default limit, and cudaFuncAttributeMaxDynamicSharedMemorySize is not set"
            )
            yield _launch(facts, launch, text, (static, arch.shared_per_block))


def _static(facts: KernelFacts, static: int) -> Finding:
    kernel, limit = facts.kernel, facts.architecture.shared_per_block
    arrays = [item for item in kernel.objects if item.space.value == "shared" and item.span]
    largest = max(arrays, key=lambda item: item.size or 0, default=None)
    span = largest.span if largest is not None and largest.span is not None else kernel.span
    return Finding(
        RULE,
        span,
        (Part(f"{static:,} bytes of static shared memory: ptxas rejects more than {limit:,}"),),
        kernel.label,
        RULE.severity,
        label=f"exceeds the {limit // 1024} KB limit for static arrays",
        evidence=(Fact("static", static), Fact("limit", limit)),
        fixes=(Fix(f"declare it `extern __shared__`, and before the launch {_OPT_IN}"),),
    )


def _launch(facts: KernelFacts, launch: Launch, text: str, numbers: tuple[int, int]) -> Finding:
    static, limit = numbers
    arch = facts.architecture
    most = arch.most_shared_per_block
    return Finding(
        RULE,
        launch.span,
        (Part(f"this launch of `{launch.kernel}` always fails: {text}"),),
        facts.kernel.label,
        RULE.severity,
        label=f"{static:,} bytes static + {launch.dynamic_shared or 0:,} dynamic",
        evidence=(
            Fact("static", static),
            Fact("dynamic", launch.dynamic_shared),
            Fact("limit", limit),
            Fact("arch", facts.architecture.name),
        ),
        related=(Related(facts.kernel.span, f"{plural(static, 'byte')} of static shared memory"),),
        fixes=(Fix(_OPT_IN if static + (launch.dynamic_shared or 0) <= most else "use less"),),
    )
