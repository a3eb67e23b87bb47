"""
## What it does

Finds memory that host code uses, or gives back, after it has given it back.

## Why is this bad?

After `cudaFree` the same bytes may belong to another array: a kernel that still gets the pointer
reads and overwrites it. Freeing twice is an error of the runtime, which is reported by whatever
call comes next, or corrupts the heap of the host.

## Example

```cuda
cudaFree(partial);
combine<<<1, 256>>>(partial, result);
```

## Use instead

```cuda
combine<<<1, 256>>>(partial, result);
cudaFree(partial);
```

## Known problems

Pointers are followed where the paths to a place agree, into helper functions too, but not what
helpers free. Copies of a pointer that are members or lie in arrays are not followed. A kernel that
is given such a pointer and never uses it is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Related, Severity
from ...analyzer.findings.rule import Category, Input, Rule, Subject
from ...analyzer.findings.verifying import sanitizer
from ...analyzer.source.words import listed
from .._shared.host import host_finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.host.facts import HostFacts
    from ...analyzer.analyses.host.pointer_uses import UseAfterFree
    from ...analyzer.findings.finding import Finding

RULE = Rule(
    code="MEM008",
    name="freed-memory-use",
    summary="memory that is used, or given back, after it was given back",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    inputs=frozenset({Input.CUDA}),
    subject=Subject.HOST,
    references=("CWE-415", "CWE-416"),
)


def check(facts: HostFacts) -> Iterator[Finding]:
    """A finding for each use in host code of memory that was given back."""
    from ...analyzer.analyses.host.pointer_uses import used_after_free

    for found in used_after_free(facts):
        name, freed = found.pointer.allocation.name, found.pointer.freed
        assert freed is not None
        user = f"`{found.user}`" if found.user else "the host"
        message = f"{user} uses {name} after `{freed.function}` on line {freed.span.line}"
        if found.again:
            message = f"`{found.user}` gives {name} back again, after line {freed.span.line}"
        yield host_finding(
            RULE,
            found.span,
            message,
            _advice(found, freed.function),
            label="no longer allocated",
            evidence=(Fact("pointer", name), Fact("freed_by", freed.function)),
            related=(Related(freed.span, f"{name} is given back here"),),
            verify=sanitizer("memcheck"),
        )


def _advice(found: UseAfterFree, function: str) -> str:
    if not found.again:
        return f"move `{function}` after it"
    if not found.left:
        return "remove the second call"
    if len(found.left) == 1:
        return f"give back {found.left[0]} here, which nothing does, or remove the second call"
    return f"remove the second call; nothing gives back {listed(found.left, 2)}"
