"""
## What it does

Reports reads of shared memory that an asynchronous copy (`cp.async`, `__pipeline_memcpy_async`,
`cg::memcpy_async`, `cuda::memcpy_async`, bulk copies) may still be filling: no wait stands between
copy and read, or the wait leaves the group of this copy pending.

## Why is this bad?

An asynchronous copy returns immediately; its bytes arrive later, in no guaranteed order. A thread
sees its own copies only after `cp.async.wait_group` (`__pipeline_wait_prior`, `cg::wait`,
`consumer_wait` of the pipeline, a wait at the mbarrier), and those of other threads only after a
barrier that follows their wait. Until then it sometimes reads stale data. No compiler warns about
it, and racecheck covers only some of these copies.

## Example

```cuda
__pipeline_memcpy_async(&tile[t], &in[i], 4);
__pipeline_commit();
__pipeline_wait_prior(1);  // the last group, this one, may still be pending
sum += tile[t];
```

## Use instead

```cuda
__pipeline_memcpy_async(&tile[t], &in[i], 4);
__pipeline_commit();
__pipeline_wait_prior(0);
sum += tile[t];
```

## Known problems

One block is simulated with example values for sizes. A wait is assumed to be executed by every
thread that copies. With more than two pipelines in a kernel, and where threads take different roles
in one, each wait is taken for one for all copies. A missing barrier after the wait is `SYN002`.
"""

from __future__ import annotations

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
from ...analyzer.findings.witness import Step, ThreadFlow
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.block_execution.copies_in_flight import Unwaited
    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="ASY001",
    name="unwaited-async-copy",
    summary="a read of shared memory that an asynchronous copy may not have filled yet",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-820", "CWE-362"),
    costly=True,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place that reads shared memory before an asynchronous copy has filled
    it.
    """
    for found in once_each(facts.unwaited_copies, lambda found: found.read.location.span):
        yield _finding(facts, found)


def _finding(facts: KernelFacts, found: Unwaited) -> Finding:
    copy, read = found.copy.location, found.read.location
    reader, copier = _thread(found, found.reader), _thread(found, found.copier)
    whose = "its own copy" if reader == copier else f"the copy of thread {copier}"
    whose = "the group's copy" if found.is_collective else whose
    message = (
        Part(f"thread {reader} reads `{found.item.name}` before "),
        Part(whose, copy.span),
        Part(f" has completed: {_reason(found)}"),
    )
    related = [Related(copy.span, "the copy is issued here")]
    if found.waited is not None:
        related.append(Related(found.waited.location.span, "this wait leaves it pending"))
    related += call_sites(read)
    return Finding(
        RULE,
        read.span,
        message,
        facts.kernel.label,
        RULE.severity,
        label="may read stale data",
        evidence=(
            Fact("reader", reader),
            Fact("copier", copier),
            Fact("offset_bytes", found.offset),
            Fact("committed", found.committed),
        ),
        assumptions=(assumed_block(found.launch),),
        related=tuple(related),
        flows=(
            ThreadFlow(f"thread {copier}", (Step(copy.span, "issues the asynchronous copy"),)),
            ThreadFlow(f"thread {reader}", (Step(read.span, "reads the same bytes"),)),
        ),
        fixes=(_fix(found),),
    )


def _reason(found: Unwaited) -> str:
    if found.waited is None:
        return "nothing waits for it"
    if not found.committed:
        return "its group is not committed before the wait"
    return "the preceding wait leaves its group pending"


def _fix(found: Unwaited) -> Fix:
    if found.waited is None:
        barrier = "" if found.reader == found.copier else ", and add a barrier after the wait"
        return Fix(f"commit the group and wait for it before the read{barrier}")
    if not found.committed:
        return Fix("commit the group before the wait")
    return Fix("leave fewer groups pending: lower the argument of the wait")


def _thread(found: Unwaited, number: int) -> str:
    x, y, _ = found.launch.block
    return f"({number % x}, {number // x % y}, {number // (x * y)})"
