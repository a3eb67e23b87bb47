"""
## What it does

Finds kernels with a parameter that a launch cannot hand over: a reference, or an object of a class
with virtual functions.

## Why is this bad?

A launch copies its arguments byte by byte. A reference to a variable of the host is its address,
which the device cannot follow: an error where a launch in the file passes one, a note where the
file has no launch of the kernel. An object with virtual functions holds the address of a
table of the host's functions, which a call through a reference or a pointer jumps to: a note, since
a call on the parameter itself is direct. Both compile.

## Example

```cuda
__global__ void count(int &total) { atomicAdd(&total, 1); }
```

## Use instead

```cuda
__global__ void count(int *total) { atomicAdd(total, 1); }
```

## Known problems

A reference to managed memory does work: where the file gets any, the finding is a note, and objects
of a class with an `operator new` of its own are left out. So does one to an element of device
memory, `count<<<1, 1>>>(totals[0])`, which is not reported. Objects without members, which nobody
follows the reference to, are left out, and so are classes of which only the destructor is virtual.
Virtual functions of base classes are not seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Input, Rule
from ...analyzer.ir.host import HostCall, HostLaunch
from ...analyzer.ir.kernel import Unsuited

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.host import HostArgument
    from ...analyzer.ir.values import Parameter

RULE = Rule(
    code="LNC007",
    name="unsuited-parameter",
    summary="a kernel parameter that a launch cannot hand over",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    inputs=frozenset({Input.CUDA}),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each parameter of a kernel that no launch can hand over."""
    for parameter, why in facts.kernel.unsuited:
        certain = False
        if why is Unsuited.REFERENCE:
            passed = list(_passed(facts, parameter))
            if passed and all(argument.is_element for argument in passed):
                continue
            certain = bool(passed) and not _gets_managed(facts)
        yield Finding(
            RULE,
            parameter.span or facts.kernel.span,
            (Part(f"{parameter.name} is {why.value}: a launch copies nothing but its bytes"),),
            facts.kernel.label,
            RULE.severity if certain else Severity.NOTE,
            label=why.value,
            evidence=(Fact("parameter", parameter.name), Fact("kind", why.value)),
            fixes=(Fix("pass a pointer to device memory, or a plain value"),),
        )


def _passed(facts: KernelFacts, parameter: Parameter) -> Iterator[HostArgument]:
    """What the launches in the file pass for a parameter."""
    for launch in facts.module.host:
        if isinstance(launch, HostLaunch) and launch.kernel == facts.kernel.name:
            yield from launch.arguments[parameter.index : parameter.index + 1]


def _gets_managed(facts: KernelFacts) -> bool:
    """Whether the file gets any managed memory, which a reference may lead to."""
    calls = (event for event in facts.module.host if isinstance(event, HostCall))
    return any(call.name == "cudaMallocManaged" for call in calls)
