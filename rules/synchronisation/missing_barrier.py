"""
## What it does

Reports two threads of a block that access the same bytes of shared or global memory, at least one
of them writing, with no barrier between the two accesses.

## Why is this bad?

Threads of different warps run in any order. Without `__syncthreads()` between them, the reader may
see the old value, the new one, or half of each, and the result changes with the GPU, the compiler
and the load. From sm_70 on, the lanes of one warp are not ordered either. NVIDIA's compiler does
not warn about it, and a run with the right result proves nothing.

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

One block of the shape that the finding names is simulated, with example values for what the launch
does not say; the two threads and the element that they share are those of that run. Conflicts
between blocks, parameters that alias, and most accesses with a data-dependent index are not
checked. Exceptions are only possible findings, off by default: a data-dependent element of a shared
array that other threads traverse completely in the meantime, and conflicts where data decides
whether both threads get there. A call whose body is not available counts as a barrier, unless the
threads have diverged on data before it. Named barriers are followed where number and count are
constants; a barrier for part of the block counts as one for all of it. Elements of unknown type
(`T` of a template that is never instantiated) are assumed to be four bytes wide where only indices
matter.

The fix is unsafe: that every thread reaches the new barrier is known for the assumed block only.
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
    summary="two threads of a block access the same bytes, one writing, with no barrier between",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-820", "CWE-362"),
    costly=True,
    uncalled=True,
    judged=("barrier",),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each array and line at which a thread meets another's access."""
    from ...analyzer.analyses.conflicts.race_kinds import RaceKind
    from ...analyzer.analyses.races.race_groups import grouped

    for group in grouped(facts, RaceKind.BARRIER):
        yield missing_barrier(RULE, group)
