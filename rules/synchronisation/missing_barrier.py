"""
## What it does

Reports two threads of a block that touch the same bytes of shared or global memory, one of them
writing, with no barrier between the two accesses.

## Why is this bad?

Threads of different warps run in any order. Without `__syncthreads()` in between, the reader may
see the old value, the new one, or half of each, and the result changes with the GPU, the compiler
and the load. Within a warp the order is not given either, from sm_70 on. NVIDIA's compiler does not
mention it, and a run that gives the right answer proves nothing.

## Example

```cuda
tile[threadIdx.x] = in[i];
out[i] = tile[255 - threadIdx.x];
```

## Use instead

```cuda
tile[threadIdx.x] = in[i];
__syncthreads();
out[i] = tile[255 - threadIdx.x];
```

## Known problems

One block is run, of the shape the finding names, with numbers for what the launch does not say; the
two threads and the place they meet are those of that run. Conflicts between blocks, parameters that
point to the same array, and most accesses whose index comes from memory are not looked at: an
element of a shared array that the input names is, where the threads go through the whole array
meanwhile, and the finding is only possible, and off by default. So it is where data decides whether
both threads get there. A call that was not read counts as a barrier, unless data parts the threads
before it. Barriers with a number are followed where number and count are constants; a meeting of a
part of the block counts as one of all of it. Elements of a type that is not known (`T` of a
template that nothing names) are taken to be four bytes long where nothing but indices decides.

The fix is unsafe: that every thread comes to the barrier is known for the block that was assumed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Severity
from ...analyzer.findings.rule import Category, Rule
from .._shared.races import missing_barrier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.findings.finding import Finding

RULE = Rule(
    code="SYN002",
    name="missing-barrier",
    summary="two threads of a block at the same bytes, one writing, and no barrier between",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-820", "CWE-362"),
    costly=True,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each array and line at which a thread meets another's access."""
    from ...analyzer.analyses.races.race_groups import grouped
    from ...analyzer.analyses.races.race_kinds import RaceKind

    for group in grouped(facts, RaceKind.BARRIER):
        yield missing_barrier(RULE, group)
