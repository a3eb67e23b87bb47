"""
## What it does

Reports accesses beyond the end of an array in shared, local or constant memory, or before its first
element, with a thread that makes them. An `extern __shared__` array has the bytes that a launch in
the file gives it.

## Why is this bad?

There is no bounds check: the thread reads or overwrites the next array, or the kernel fails with an
error that names neither line nor array. What follows an array changes with every declaration.

## Example

```cuda
__shared__ float tile[16][16];
tile[threadIdx.y][threadIdx.x + 1] = in[i];
```

## Use instead

```cuda
__shared__ float tile[16][16 + 1];
tile[threadIdx.y][threadIdx.x + 1] = in[i];
```

## Known problems

Only the whole array is checked, not its rows, and only for arrays of known size; of those in shared
memory the ones that the kernel writes. Of these the first block of the grid is looked at; the
second and the last one where `blockIdx` has a part in where they are accessed, or by whom: what
these do is only possible where the launch does not say how large the grid is. Dynamic, local and
constant arrays are checked in CUDA only, where nothing but numbers of the launch has a part in the
index. The block is that of a launch, of launch bounds or of `--block`. Where its shape is inferred,
where a size is a parameter, and where launch bounds also allow a smaller block that the array fits,
the finding is only possible. Of accesses by one thread to one element the first is reported.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block, assumed_grid
from ...analyzer.findings.doubts import stated
from ...analyzer.findings.finding import Fact, Finding, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import sanitizer
from ...analyzer.ir.memory import Space
from ...analyzer.source.words import plural
from .._shared.overruns import declared, overrun_finding, reach
from .._shared.places import once_each, triple
from .._shared.races import thread_at, verb

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.races.out_of_bounds import OutOfBounds

RULE = Rule(
    code="SHM006",
    name="array-out-of-bounds",
    summary="a thread accesses shared, local or constant memory beyond the end of an array",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-119",),
    costly=True,
    judged=("out-of-bounds", "overrun"),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place at which threads leave arrays: accesses to the same element of the
    same array, or of others of that length, by the same thread have one cause.
    """
    from ...analyzer.analyses.races.out_of_bounds import out_of_bounds

    alike: dict[Hashable, list[OutOfBounds]] = {}
    for found in out_of_bounds(facts):
        alike.setdefault(_place(found), []).append(found)
    for first, *others in alike.values():
        finding = _finding(facts, first)
        arrays = once_each(others, lambda each: each.outside.item)
        likewise = tuple(
            _likewise(each) for each in arrays if each.outside.item is not first.outside.item
        )
        yield replace(finding, related=(*finding.related, *likewise))
    for overrun in facts.overruns:
        if overrun.item.space is not Space.GLOBAL:
            yield overrun_finding(RULE, facts, overrun)


def _place(found: OutOfBounds) -> Hashable:
    """Which thread leaves an array of how many elements where, and whether that is sure."""
    touch, item, offset = found.outside.touch, found.outside.item, found.outside.offset
    width = touch.event.width or 1
    return touch.thread, touch.block, offset / width, (item.size or 0) / width, found.definite


def _likewise(found: OutOfBounds) -> Related:
    return Related(
        found.outside.touch.access.location.span, f"likewise in {found.outside.item.name}"
    )


def _finding(facts: KernelFacts, found: OutOfBounds) -> Finding:
    touch, item, offset = found.outside.touch, found.outside.item, found.outside.offset
    launch = found.candidate.context.launch.launch
    thread = thread_at(launch.block, touch.thread)
    name, width = f"thread {triple(thread)}", touch.event.width or 1
    block = () if touch.block is None else (Fact("block", list(touch.block)),)
    name = f"{name} of block {triple(touch.block)}" if touch.block else name
    size = plural(item.size or 0, "byte")
    beyond = f"{reach(offset, width)} of {item.name}, which has only {size}"
    where = f"{plural(-offset, 'byte')} before {item.name}" if offset < 0 else beyond
    return Finding(
        RULE,
        touch.access.location.span,
        (Part(f"{name} {verb(touch.access)} {where}"),),
        facts.kernel.label,
        RULE.severity,
        doubts=stated(found.doubts, facts.module.unseen),
        label="before its first element" if offset < 0 else "beyond the end of the array",
        evidence=(
            Fact("object", item.name),
            Fact("offset", offset),
            Fact("size", item.size),
            Fact("thread", list(thread)),
            *block,
        ),
        assumptions=(assumed_block(launch), *(assumed_grid(launch) if block else ())),
        related=declared(item, item.size or 0),
        verify=sanitizer("memcheck"),
    )
