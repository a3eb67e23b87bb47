"""
## What it does

Reports named barriers (`bar.sync id, count`, `barrier.sync`, `bar.arrive`, `__barrier_sync_count`)
whose thread count or number cannot work: a count that is not a multiple of 32 or is larger than the
block, a number above 15, one number with two counts in the branches of an `if`, and counts that do
not match the threads that arrive.

## Why is this bad?

A block has 16 barriers, numbered from 0; each releases its threads once as many have arrived as the
instruction says, in whole warps (PTX ISA, `bar`). If fewer arrive, the kernel hangs; if the two
sides name different counts, or more threads arrive than the barrier expects, threads pass that
should have waited. `ptxas` checks constants only against 1024 and 16.

## Example

```cuda
if (threadIdx.x < 64)
    asm volatile("bar.sync 1, 128;");  // 64 threads arrive
```

## Use instead

```cuda
if (threadIdx.x < 64)
    asm volatile("bar.sync 1, 64;");
```

## Known problems

Which threads arrive is checked only where the block is given, by a launch, the kernel or `--block`,
and every condition before the barrier can be evaluated. Counts that are computed are not checked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block
from ...analyzer.findings.finding import (
    Fact,
    Finding,
    Fix,
    Part,
    Related,
    Severity,
)
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import sanitizer
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.barriers.named_barriers import WrongCount
    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="SYN010",
    name="named-barrier-count",
    summary="a named barrier whose number or thread count cannot work",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-821",),
    costly=True,
)
_NUMBER = re.compile(r"(?<![\w.])-?(?:0[xX][0-9a-fA-F]{1,16}|[1-9]\d{0,19})(?=[uUlL]*(?![\w.]))")
_FIXES = {
    "identifier": "use one of the barriers 0 to 15",
    "not-warps": "pass a multiple of 32",
    "block": "pass the number of threads that arrive, at most the block size",
    "different": "pass the same count in both branches, or use two barriers",
    "too-few": "pass the number of threads that arrive",
    "too-many": "pass the number of all threads that arrive, or give each group its own barrier",
}


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place with a named barrier whose number or thread count cannot work."""
    from ...analyzer.analyses.barriers.named_barriers import wrong_counts

    for found in once_each(wrong_counts(facts), lambda found: found.barrier.location.span):
        yield _finding(facts, found)


def _finding(facts: KernelFacts, found: WrongCount) -> Finding:
    location = found.barrier.location
    related = []
    if found.other is not None:
        related.append(Related(found.other.location.span, f"expects {found.others} threads here"))
    related += call_sites(location)
    assumed = found.launch
    return Finding(
        RULE,
        location.span,
        (Part(_message(found)),),
        facts.kernel.label,
        RULE.severity,
        label="wrong thread count" if found.count else "",
        evidence=(
            Fact("wrong", found.kind.value),
            Fact("barrier", found.identifier if found.identifier >= 0 else None),
            Fact("count", found.count),
            Fact("threads", found.others),
        ),
        assumptions=(() if assumed is None else (assumed_block(assumed),)),
        related=tuple(related),
        fixes=(Fix(_FIXES[found.kind.value]),),
        verify=sanitizer("synccheck"),
    )


def _message(found: WrongCount) -> str:
    text = found.barrier.location.span.text
    number, count = _as_written(found.identifier, text), _as_written(found.count, text)
    name = f"barrier {number}" if found.identifier >= 0 else "this barrier"
    kind = found.kind.value
    if kind == "identifier":
        return f"{name} does not exist: a block has 16 barriers, 0 to 15"
    expects = f"{name} expects {count} thread{'s' * (found.count != 1)}"
    if kind == "not-warps":
        return f"{expects}, which is not a multiple of the warp size"
    if kind == "block":
        return f"{expects}, but the block has at most {found.others}: it hangs"
    if kind == "different":
        return f"{expects} here and {found.others} in the other branch"
    arrive = "arrives" if found.others == 1 else "arrive"
    if kind == "too-few":
        return f"{expects}, but only {found.others} {arrive}: it hangs"
    return f"{expects}, but {found.others} {arrive}: some pass without waiting"


def _as_written(number: int, text: str) -> str:
    """A number of 32 bits, behind the one in the source that it is cut from, if any."""
    for written in _NUMBER.findall(text):
        value = int(written, 0)
        if value != number and value % (1 << 32) == number:
            return f"{written} ({number} in 32 bits)"
    return str(number)
