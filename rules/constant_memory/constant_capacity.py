"""
## What it does

Finds files whose `__constant__` variables exceed 64 KB in total, and kernels whose parameters
exceed what a launch can pass.

## Why is this bad?

Constant memory holds 64 KB; ptxas rejects a module with more. Kernel parameters are limited to 4
KB, or to 32,764 bytes on compute capability 7.0 and higher since CUDA 12.1: what only newer
toolkits and drivers accept is a note.

## Example

```cuda
__constant__ float weights[20000];        // 80,000 bytes
```

## Use instead

```cuda
__device__ float weights[20000];          // read through __ldg or const __restrict__
```

## Known problems

Variables of other translation units also count once they are linked; they are not seen here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.ir.memory import Space
from ...analyzer.resources.declared import least_parameters
from ...analyzer.source.words import plural

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.memory import MemoryObject

RULE = Rule(
    code="CON002",
    name="constant-capacity",
    summary="more constants or parameters than constant memory holds",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
)

_ANYWHERE = 4096  # bytes of parameters that every toolkit and GPU takes


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for the constants of the file, at its first kernel, and one for parameters."""
    if facts.kernel is facts.module.kernels[0]:
        yield from _constants(facts)
    arch = facts.architecture
    known = facts.kernel.usage(facts.options.arch).parameters.value
    used = least_parameters(facts.kernel) if known is None else known
    if used <= _ANYWHERE:
        return
    if used > arch.parameter_bytes:
        limit, text = arch.parameter_bytes, f"{arch.name} allows at most {arch.parameter_bytes:,}"
        severity, label = RULE.severity, "too many parameters"
    else:
        limit, text = _ANYWHERE, f"more than {_ANYWHERE:,} need CUDA 12.1 or newer, and sm_70"
        severity, label = Severity.NOTE, "not accepted everywhere"
    at_least = "" if known is not None else "at least "
    yield Finding(
        RULE,
        facts.kernel.span,
        (Part(f"{at_least}{plural(used, 'byte')} of parameters: {text}"),),
        facts.kernel.label,
        severity,
        label=label,
        evidence=(Fact("parameters", used), Fact("limit", limit)),
        fixes=(Fix("pass a pointer to a structure in global memory"),),
    )


def _constants(facts: KernelFacts) -> Iterator[Finding]:
    limit = facts.architecture.constant_bytes
    total = 0
    for item in _constants_of(facts):
        total += item.size or 0
        if total > limit and item.span is not None:
            yield Finding(
                RULE,
                item.span,
                (
                    Part(f"{plural(total, 'byte')} of __constant__ variables including "),
                    Part(item.name, item.span),
                    Part(f" exceed the {limit:,} bytes of constant memory"),
                ),
                facts.kernel.label,
                RULE.severity,
                label="does not fit into constant memory",
                evidence=(Fact("constants", total), Fact("limit", limit)),
                fixes=(Fix("declare large tables `__device__` and read them with `__ldg()`"),),
            )
            return


def _constants_of(facts: KernelFacts) -> Iterator[MemoryObject]:
    """The constant variables of the file, each once, in the order of their places.

    Every kernel that uses one, and every instance of a template, has an object for it.
    """
    declared: dict[Hashable, MemoryObject] = {}
    for item in facts.module.objects_in(Space.CONSTANT):
        if item.linkage.strip(".") != "extern":
            place = None if item.span is None else (item.span.path, item.span.start)
            declared.setdefault(place or id(item), item)
    yield from sorted(declared.values(), key=lambda item: item.span.start if item.span else 0)
