"""
## What it does

Reports calls of `__shfl_sync`, `__any_sync` and similar intrinsics whose first argument is not a
member mask but the value, condition or distance that should follow it.

## Why is this bad?

The mask is the first argument. A call rewritten from the legacy form without a mask, or with its
arguments in another order, still compiles, since every number converts to `unsigned`:
`__shfl_down_sync(v, offset, 32)` takes `v` for the mask and shuffles `offset` over a distance of
32. nvcc does not warn about it.

## Example

```cuda
sum += __shfl_down_sync(sum, offset, 32);
```

## Use instead

```cuda
sum += __shfl_down_sync(0xffffffff, sum, offset, 32);
```

## Known problems

An `int` loaded from memory is accepted as a mask, unless the value that is then shuffled is the
same in all lanes.

The fix passes the full mask. It is safe where the whole warp executes the line; in a device
function, and where a condition may split the warp, check that all lanes reach the call.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import (
    Applicability,
    Edit,
    Fact,
    Finding,
    Fix,
    Part,
    Severity,
)
from ...analyzer.findings.rule import Category, Input, Rule
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.warp_intrinsics.mistaken_masks import MistakenMask
    from ...analyzer.source.text import Span

RULE = Rule(
    code="WRP003",
    name="missing-mask-argument",
    summary="a warp intrinsic whose first argument is data instead of a member mask",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    inputs=frozenset({Input.CUDA}),
)
_CALL = re.compile(r"__\w+_sync\s*\(")
_WORDS = {
    "float": "a floating-point number",
    "condition": "a condition",
    "data": "a value that differs between lanes",
}


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each warp intrinsic whose first argument is data, not a member mask."""
    from ...analyzer.analyses.warp_intrinsics.mistaken_masks import mistaken_masks

    found = mistaken_masks(facts)
    for each in once_each(found, lambda each: each.operation.location.span):
        yield _finding(facts, each)


def _finding(facts: KernelFacts, found: MistakenMask) -> Finding:
    location = found.operation.location
    return Finding(
        RULE,
        location.span,
        (Part(f"the first argument should be the member mask, but is {_WORDS[found.kind]}"),),
        facts.kernel.label,
        RULE.severity,
        label="wrong lanes take part: no member mask",
        evidence=(Fact("mask", found.kind),),
        related=call_sites(location),
        fixes=(_fix(facts, found),),
    )


def _fix(facts: KernelFacts, found: MistakenMask) -> Fix:
    from ...analyzer.analyses.warp_intrinsics.warp_members import is_by_whole_warp

    location = found.operation.location
    call = _CALL.match(location.span.text)
    if call is None or location.macro is not None or not found.only_missing:
        return Fix("pass the member mask as first argument, `0xffffffff` for the full warp")
    whole = location.inlined_at is None and is_by_whole_warp(facts, found.operation)
    return Fix(
        "pass `0xffffffff` (the full warp) as first argument",
        Applicability.SAFE if whole else Applicability.UNSAFE,
        (Edit(_behind(location.span, call.end()), "0xffffffff, "),),
    )


def _behind(span: Span, length: int) -> Span:
    at = span.start + length
    return type(span)(span.source, at, at)
