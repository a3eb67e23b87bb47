"""
## What it does

Finds calls of the CUDA runtime that have been replaced: the `cudaThread...` functions, those that
bind texture references, the size of shared memory banks, preferences between L1 and shared memory.

## Why is this bad?

Removed functions stop the build with the next toolkit; deprecated ones will. Some no longer do what
they say: no GPU after Kepler has banks of eight bytes, and from Volta on the split of L1 and shared
memory is set for each kernel.

## Example

```cuda
cudaThreadSynchronize();
cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte);
```

## Use instead

```cuda
cudaDeviceSynchronize();
```

## Known problems

Preferences between L1 and shared memory still work, as hints: they are only `possible`.
Code that is kept for toolkits of that time has its reasons; `#if CUDART_VERSION` is read with the
version of the newest toolkit that warplint knows. Where kernels of the file use references, CON004
says so, and the calls that bind them are not reported as well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...analyzer.findings.doubts import stated
from ...analyzer.findings.finding import Fact, Severity
from ...analyzer.findings.rule import Category, Input, Joins, Rule, Subject, Tag
from ...analyzer.ir.memory import Space
from .._shared.host import host_finding
from .._shared.places import once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.host.facts import HostFacts
    from ...analyzer.findings.finding import Finding
    from ...analyzer.ir.kernel import Module

#: What the replacements of calls that bind references end with.
_OBJECTS = ("cudaDestroyTextureObject", "cudaDestroySurfaceObject")

RULE = Rule(
    code="API003",
    name="old-call",
    summary="a call of the CUDA runtime that was deprecated, removed or superseded",
    category=Category.SUSPICIOUS,
    severity=Severity.WARNING,
    tag=Tag.DEPRECATED,
    inputs=frozenset({Input.CUDA}),
    subject=Subject.HOST,
    joins=Joins.HABIT,
    judged=("old-call",),
)


def check(facts: HostFacts) -> Iterator[Finding]:
    """A finding for each call of the CUDA runtime that is deprecated, removed or superseded."""
    from ...analyzer.analyses.doubts.costs.heeded_hints import OldCall
    from ...analyzer.analyses.doubts.question.doubt import doubts_of
    from ...analyzer.analyses.doubts.registry import OF_OLD_CALLS
    from ...grammars import grammar_data

    known = grammar_data("old_calls.toml")["calls"]
    told: bool | None = None  # asked of the kernels only where a call binds references
    old = (call for call in facts.calls if call.name in known)
    for call in once_each(old, lambda call: call.span):
        state, replacement, *marks = known[call.name]
        if replacement.endswith(_OBJECTS):
            told = _uses_references(facts.module) if told is None else told
            if told:
                continue
        advice = f"use {replacement}" if replacement else "remove the call: it has no effect"
        finding = host_finding(
            RULE,
            call.span,
            f"`{call.name}` is {state}",
            advice,
            label=state,
            evidence=(Fact("call", call.name), Fact("replacement", replacement or None)),
        )
        asked = OldCall(call.name, "heeded" in marks)
        doubts = doubts_of(OF_OLD_CALLS, asked, every=facts.options.doubted)
        severity = Severity.NOTE if asked.heeded else RULE.severity
        yield replace(finding, severity=severity, doubts=stated(doubts))


def _uses_references(module: Module) -> bool:
    """Whether CON004 says of the kernels what would be said of the calls that bind for them."""
    variables = (variable for kernel in module.kernels for variable in kernel.variables)
    return any(each.space in (Space.TEXTURE, Space.SURFACE) for each in variables)
