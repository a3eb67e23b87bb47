"""
## What it does

Finds copies, fills and allocations of the CUDA runtime whose size or direction contradicts the
memory they work on: a number of elements where bytes are asked for, the size of a pointer, more
bytes than there are, rows longer than their pitch, `cudaMemcpyHostToDevice` out of device memory,
`cudaMemset` of a host variable, a device variable named by a string or by its address.

## Why is this bad?

All of these compile. Too few bytes leave the rest of the array as it was; too many overwrite what
lies after it; a wrong direction fails with `cudaErrorInvalidValue`, which nobody sees who does not
check it, and the buffers keep their old contents.

## Example

```cuda
__constant__ float weights[64];
float *d;
cudaMalloc(&d, n);                                  // n bytes: a quarter of the elements
cudaMemcpyToSymbol(weights, h, 64);                 // 16 of 64 elements
```

## Use instead

```cuda
cudaMalloc(&d, n * sizeof(float));
cudaMemcpyToSymbol(weights, h, sizeof(weights));
```

## Known problems

Only pointers are judged that come from the runtime, from `malloc`, `new`, or from a container, or
that are arrays; of others only that the size of a pointer is no multiple of their elements. Sizes,
directions and pointers are followed into helper functions, if no other function has the same name,
and into the methods of a class that owns its memory. Reported is the call that a wrong size or
direction is written in. A `long` has 8 bytes, as on Linux; what fits where it has 4, as on Windows,
is only possible. Pointers that helpers give through parameters are not checked, and of rows
(`cudaMemcpy2D`) only that their pitch holds them. Pinned memory counts as the host's and as the
device's: with unified addressing, as on all 64-bit systems, copies take it as either.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...analyzer.findings.doubts import stated
from ...analyzer.findings.finding import Fact, Related, Severity
from ...analyzer.findings.rule import Category, Input, Joins, Rule, Subject
from ...analyzer.findings.verifying import sanitizer
from .._shared.host import host_finding, made_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.host.copies import WrongCopy
    from ...analyzer.analyses.host.facts import HostFacts
    from ...analyzer.findings.finding import Finding

RULE = Rule(
    code="API002",
    name="copy-mismatch",
    summary="a copy or allocation whose size or direction contradicts its pointers",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    inputs=frozenset({Input.CUDA}),
    subject=Subject.HOST,
    judged=("copy",),
    references=("CWE-131",),
)


def check(facts: HostFacts) -> Iterator[Finding]:
    """A finding for each copy or allocation by the host whose size or direction is wrong."""
    from ...analyzer.analyses.doubts.question.doubt import doubts_of
    from ...analyzer.analyses.doubts.registry import OF_COPIES
    from ...analyzer.analyses.host.copies import Mismatch, wrong_copies

    for found in wrong_copies(facts):
        message, advice = _words(found)
        is_passed = found.place != found.call.span
        copied = (Related(found.call.span, f"{found.call.name} is here"),) if is_passed else ()
        finding = host_finding(
            RULE,
            found.place,
            message,
            advice,
            label=found.argument.text,
            evidence=(
                Fact("call", found.call.name),
                Fact("mismatch", found.mismatch.value),
                Fact("argument", found.argument.text),
            ),
            related=(*made_at(found.allocation), *copied),
            verify=sanitizer("memcheck"),
        )
        doubts = stated(doubts_of(OF_COPIES, found, every=facts.options.doubted))
        finding = replace(finding, doubts=doubts)
        old = found.mismatch is Mismatch.SYMBOL_NAME  # all of a file are from the same toolkit
        yield replace(finding, joins=Joins.FILE) if old else finding


def _words(found: WrongCopy) -> tuple[str, str]:
    """What is wrong, and what to write."""
    from ...analyzer.analyses.host.copies import Mismatch

    name, text, of = found.call.name, found.argument.text, found.allocation
    width = found.element_size if of is None else of.element_size
    match found.mismatch:
        case Mismatch.ELEMENTS:
            what = f"`{name}` gets {text} as its size in bytes, but that is the number of elements"
            return f"{what} of {width} bytes", f"multiply by `sizeof`: {text} * {width} bytes"
        case Mismatch.OF_POINTER:
            what = f"`{name}` gets the size of a pointer: {text}"
            return what, f"use the size of what it points to, {width} bytes for each element"
        case Mismatch.OF_CONTAINER:
            what = f"`{name}` gets the size of a container itself: {text}"
            return what, f"multiply `size()` by the size of an element, {width} bytes"
        case Mismatch.NARROW:
            what = f"`{name}` counts in {text}, but the elements have {width} bytes"
            return what, "use `sizeof` of the type that the pointer leads to"
        case Mismatch.TOO_LARGE:
            owner = "the memory" if of is None else of.name
            known = of is not None and isinstance(of.size, int)
            room = f"the {of.size} bytes of {owner}" if of is not None and known else owner
            return f"`{name}` goes beyond the end of {room}: {text}", "use the smaller size"
        case Mismatch.PITCH:
            what = f"`{name}` gets {text} as the bytes from row to row, which is less than a row"
            return f"{what}: cudaErrorInvalidPitchValue", "multiply by `sizeof` of an element"
        case Mismatch.SYMBOL_NAME:
            what = f"`{name}` gets a device variable by its name in quotes, which CUDA 5.0 removed"
            return what, f"pass the variable itself: {text.strip(chr(34))}"
        case Mismatch.SYMBOL_ADDRESS:
            what = f"`{name}` gets the address of a device variable: cudaErrorInvalidSymbol"
            return what, "pass the variable itself, without `&`"
        case Mismatch.POINTER_ITSELF:
            what = f"`{name}` gets {text}, the address of a pointer, which is a host variable"
            return what, "pass the pointer itself, without `&`"
        case Mismatch.ON_HOST:
            where = "host memory" if of is None else of.residence.value
            return f"`{name}` gets {text}, which is {where}: cudaErrorInvalidValue", "use `memset`"
        case Mismatch.PLAIN_SYMBOL:
            what = f"`{name}` gets the device variable {text} as a pointer: on the host it is none"
            return what, "use cudaMemcpyToSymbol or cudaMemcpyFromSymbol"
    where = "memory" if of is None else of.residence.value
    what = f"the direction of `{name}` contradicts {text}, which is {where}"
    return what, "correct the direction, or use cudaMemcpyDefault"
