"""
## What it does

Reports accesses to the shared memory of another block of the cluster (`map_shared_rank`, `mapa`)
that no barrier of the cluster orders with that block: none before the access, so that the other
block may not have started; none between it and what the other block does with the same bytes
itself; or none after it, so that the other block may have ended.

## Why is this bad?

`__syncthreads()` waits for the threads of one block only. The other block may be ahead or behind:
what is read there may not have been stored yet, or have been replaced already. Memory of a block
that has ended is nobody's: on an H200 such an access fails the launch ("unspecified launch
failure"). The CUDA C++ Programming Guide asks for both barriers ("Distributed Shared Memory"); when
all blocks keep pace, the result is right without them.

## Example

```cuda
part[threadIdx.x] = in[i];
__syncthreads();
const float *other = cluster.map_shared_rank(part, rank ^ 1);
out[i] = part[threadIdx.x] + other[threadIdx.x];
```

## Use instead

```cuda
part[threadIdx.x] = in[i];
cluster.sync();
const float *other = cluster.map_shared_rank(part, rank ^ 1);
out[i] = part[threadIdx.x] + other[threadIdx.x];
cluster.sync();  // the other block may end now
```

## Known problems

Kernels in which anything else may order the blocks are not judged: mbarriers, loops that wait for
data, calls and statements that were not read. Barriers behind a condition of their own are taken
for those that are needed. Of two accesses only places are compared that are fixed, or are those of
threads with the same index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.witness import Step, ThreadFlow
from ...analyzer.ir.operations import AccessKind
from .._shared.places import call_sites, object_name, once_each
from .._shared.races import verb

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.inter_block.remote_accesses import Unordered
    from ...analyzer.ir.operations import MemoryAccess

RULE = Rule(
    code="SYN012",
    name="missing-cluster-barrier",
    summary="shared memory of another block is used with no barrier of the cluster around it",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-820", "CWE-362"),
    costly=True,
)
_BARRIERS = {
    "cuda": "`cluster.sync()`",
    "ptx": "`barrier.cluster.arrive` and `barrier.cluster.wait`",
}
_PLACES = {
    "before": "before it",
    "between": "between the two",
    "later": "at the end of the loop",
    "after": "after it, before the block ends",
}


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each line that uses shared memory of another block out of order."""
    from ...analyzer.analyses.inter_block.remote_accesses import unordered_remote_accesses

    found = unordered_remote_accesses(facts)
    for each in once_each(found, lambda each: each.remote.location.span):
        yield _finding(facts, each)


def _finding(facts: KernelFacts, found: Unordered) -> Finding:
    remote, own, lack = found.remote.location, found.own, found.lack.value
    place = _PLACES["later" if found.later else lack]
    related = [] if own is None else [Related(own.location.span, f"that block {verb(own)} it here")]
    return Finding(
        RULE,
        remote.span,
        _message(found),
        facts.kernel.label,
        RULE.severity,
        label=f"{verb(found.remote)} shared memory of another block",
        evidence=(Fact("missing", lack), Fact("data", found.item.name)),
        related=(*related, *call_sites(remote)),
        flows=_flows(found),
        fixes=(Fix(f"insert {_BARRIERS[facts.kernel.language]} {place}"),),
    )


def _message(found: Unordered) -> tuple[Part, ...]:
    name, own = f"`{object_name(found.item)}`", found.own
    if own is not None:
        return (
            Part(f"no barrier of the cluster between {_noun(found.remote)} {name} of another "),
            Part("block and "),
            Part(f"{_noun(own)} it by that block itself", own.location.span),
            Part(" in the next iteration" if found.later else ""),
        )
    if found.lack.value == "before":
        said = "with no barrier of the cluster before: that block may not have started"
    else:
        said = "with no barrier of the cluster after: that block may have ended"
    return (Part(f"{verb(found.remote)} {name} of another block {said}"),)


def _flows(found: Unordered) -> tuple[ThreadFlow, ...]:
    own = found.own
    if own is None:
        return ()
    remote = Step(found.remote.location.span, f"{verb(found.remote)} it")
    doing = Step(own.location.span, f"{verb(own)} it at the same time")
    return (
        ThreadFlow("a thread of one block", (remote,)),
        ThreadFlow("a thread of the block whose memory it is", (doing,)),
    )


def _noun(access: MemoryAccess) -> str:
    if access.kind is AccessKind.LOAD:
        return "the load of"
    return "the store to" if access.kind is AccessKind.STORE else "the update of"
