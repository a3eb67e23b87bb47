"""
## What it does

Reports syntactically valid PTX that `ptxas` rejects: undeclared registers, variables, functions and
labels, instructions with a wrong number or type of operands, modifiers that an instruction does not
take, and instructions that the module's `.target` or `.version` does not support.

## Why is this bad?

The module does not assemble. When the driver compiles it at run time, loading fails with
`CUDA_ERROR_INVALID_PTX`, usually without a line number.

## Example

```ptx
.target sm_75
...
cp.async.cg.shared.global [%r1], [%rd1], 16;    // needs sm_80
add.s32 %r2, %r3;                               // one operand is missing
```

## Use instead

```ptx
.target sm_80
...
cp.async.cg.shared.global [%r1], [%rd1], 16;
add.s32 %r2, %r2, %r3;
```

## Known problems

Values are not checked: alignments, ranges of immediates, register counts of matrix fragments.
Instructions newer than PTX 9 are listed as unknown, not reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Part, Severity
from ...analyzer.findings.rule import Category, Input, Rule
from ...analyzer.findings.verifying import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.kernel import Diagnostic

RULE = Rule(
    code="ASM004",
    name="invalid-ptx",
    summary="PTX that ptxas rejects",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    inputs=frozenset({Input.PTX}),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """What ptxas rejects in the PTX of this kernel; the first one answers for all outside of
    kernels.
    """
    for diagnostic in facts.module.diagnosed(facts.kernel):
        yield _finding(facts, diagnostic)


def _finding(facts: KernelFacts, diagnostic: Diagnostic) -> Finding:
    return Finding(
        RULE,
        diagnostic.span,
        (Part(diagnostic.message, diagnostic.span),),
        facts.kernel.label,
        RULE.severity,
        label=diagnostic.kind.replace("-", " "),
        evidence=(Fact("kind", diagnostic.kind),),
        verify=compiled(facts, ""),
    )
