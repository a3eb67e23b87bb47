"""
## What it does

Reports `__shfl`, `__shfl_up`, `__shfl_down`, `__shfl_xor`, `__ballot`, `__any`, `__all`, and PTX
`shfl` and `vote` without `.sync`, for sm_70 and above.

## Why is this bad?

They have no member mask and assume that lanes run in lockstep. They were deprecated in CUDA 9.0 and
removed for devices of compute capability 7.x and higher (CUDA C++ Programming Guide, "Warp Shuffle
Functions"); from PTX ISA 6.4 on, `shfl` and `vote` without `.sync` are errors for sm_70. PTX that
is older, or for an older target, still assembles: ptxas warns that results may be wrong, and so
does this rule.

## Example

```cuda
sum += __shfl_down(sum, 16);
```

## Use instead

```cuda
sum += __shfl_down_sync(0xffffffff, sum, 16);
```

## Known problems

All calls in one function are reported as one finding: at the first, with the others as further
places and a fix for all of them (two findings where only some can be fixed safely). `--fix`,
suppressions and baselines treat each call separately: a comment on one of them suppresses that one.

Only possible where a header of the project was not found: it may map the name to the one with a
mask. Silent for `--arch` below sm_70, and in HIP files: those that include its header, and those in
folders named for it (`reduce-hip/`), since not every file of a program includes the header.

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
from ...analyzer.findings.rule import Category, Joins, Rule, Tag
from .._shared.doubts import doubts_about
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.operations import WarpOperation
    from ...analyzer.source.text import Span

RULE = Rule(
    code="WRP005",
    name="legacy-warp-intrinsic",
    summary="a shuffle or vote without member mask, removed in sm_70",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    tag=Tag.DEPRECATED,
    joins=Joins.FUNCTION,
    judged=("removed-intrinsic",),
)
VOLTA = 70
_CALL = re.compile(r"__(?:shfl(?:_up|_down|_xor)?|any|all|ballot)(?=\s*\()")
_INSTRUCTION = re.compile(r"(?:shfl|vote)(?=\.)")


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each shuffle or vote without member mask, removed in sm_70."""
    from ...analyzer.ir.operation_kinds import SHUFFLES, VOTES
    from ...analyzer.ir.operations import WarpOperation

    if facts.options.arch < VOLTA or facts.module.for_hip:
        return  # AMD has these functions, and no others
    legacy = (
        operation
        for operation in facts.kernel.operations()
        if isinstance(operation, WarpOperation)
        and operation.mask is None
        and operation.kind in SHUFFLES | VOTES
    )
    for operation in once_each(legacy, lambda operation: operation.location.span):
        yield _finding(facts, operation)


def _finding(facts: KernelFacts, operation: WarpOperation) -> Finding:
    from ...analyzer.analyses.doubts.registry import OF_REMOVED
    from ...analyzer.analyses.doubts.unseen.candidates import RemovedCandidate

    span = operation.location.span
    call = _CALL.match((span.macro or span).text)
    name = f"`{operation.name.split('.')[0]}` without `.sync`" if call is None else f"`{call[0]}`"
    kept = facts.module.may_omit_masks
    what = "may give wrong results on sm_70 and later" if kept else "was removed in sm_70"
    return Finding(
        RULE,
        span,
        (Part(f"{name} has no member mask and {what}"),),
        facts.kernel.label,
        Severity.WARNING if kept else RULE.severity,
        doubts=doubts_about(facts, OF_REMOVED, RemovedCandidate(facts, operation)),
        label="assumes lanes run in lockstep",
        evidence=(Fact("operation", operation.name),),
        related=call_sites(operation.location),
        fixes=(_fix(facts, operation),),
    )


def _fix(facts: KernelFacts, operation: WarpOperation) -> Fix:
    from ...analyzer.analyses.warp_intrinsics.warp_members import is_by_whole_warp

    edits = _edits(operation.location.span)
    suffix = ".sync" if facts.kernel.language == "ptx" else "_sync"
    title = f"use the `{suffix}` form and pass the mask of participating lanes"
    if not edits or operation.location.macro is not None:
        return Fix(title)
    whole = operation.location.inlined_at is None and is_by_whole_warp(facts, operation)
    return Fix(
        f"{title} (here the full warp)",
        Applicability.SAFE if whole else Applicability.UNSAFE,
        edits,
    )


def _edits(span: Span) -> tuple[Edit, ...]:
    """The mask goes first in CUDA and last in PTX."""
    text = span.text
    if call := _CALL.match(text):
        opened = span.start + text.index("(") + 1
        name = type(span)(span.source, span.start + call.end(), span.start + call.end())
        return (Edit(name, "_sync"), Edit(type(span)(span.source, opened, opened), "0xffffffff, "))
    word = _INSTRUCTION.search(text)
    end = text.rfind(";")
    if word is None or span.source.path.endswith((".cu", ".cuh")):
        return ()
    at = span.start + word.end()
    last = span.start + (end if end >= 0 else len(text))
    inside = type(span)(span.source, at, at)
    return (Edit(inside, ".sync"), Edit(type(span)(span.source, last, last), ", -1"))
