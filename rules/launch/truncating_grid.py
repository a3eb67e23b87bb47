"""
## What it does

Finds launches whose grid is rounded down, `n / 256`, for a kernel whose threads compare their index
with `n`; and loops of a kernel over `n / 16` tiles. Such a loop is only possible to leave anything
out where no launch says what `n` is.

## Why is this bad?

The last `n % 256` elements belong to no block: they keep what was there before. The guard in the
kernel is for the threads that a rounded-up grid has too many, so the launch was to round up. At
sizes that are a multiple of the block, those that are tested, nothing is to be seen.

## Example

```cuda
scale<<<n / 256, 256>>>(data, n);
```

## Use instead

```cuda
scale<<<(n + 255) / 256, 256>>>(data, n);
```

## Known problems

A second launch for the rest, and sizes that are multiples by agreement, are not seen; an `assert`
or an `if` of the host about it is. Tiles whose size is passed, or a template's, are not judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Input, Joins, Rule
from .._shared.doubts import doubts_about

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.array_bounds.cut_loops import CutLoop
    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="LNC003",
    name="truncating-grid",
    summary="a number of blocks or tiles that is rounded down, so that elements are left over",
    category=Category.CORRECTNESS,
    severity=Severity.WARNING,
    inputs=frozenset({Input.CUDA}),
    joins=Joins.FILE,
    judged=("tile-count",),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each launch, and each loop over tiles, whose count is rounded down."""
    from ...analyzer.analyses.array_bounds.cut_loops import cut_loops
    from ...analyzer.analyses.memory_traffic.cut_grids import cut_grids

    for found in cut_grids(facts):
        name, divisor = found.parameter.name, found.divisor
        over = f"{found.left}" if found.left is not None else f"{name} % {divisor}"
        axis = "xyz"[found.axis]
        yield Finding(
            RULE,
            found.launch.span,
            (
                Part(
                    f"this grid is rounded down along {axis}: the last {over} of {name} elements "
                ),
                Part(f"belong to no block of `{found.launch.kernel}`"),
            ),
            facts.kernel.label,
            RULE.severity,
            label=f"{name} / {divisor}",
            evidence=(
                Fact("axis", axis),
                Fact("parameter", name),
                Fact("divisor", divisor),
                Fact("left_over", found.left),
            ),
            related=(
                Related(found.guard.location.span, f"the kernel expects threads beyond {name}"),
            ),
            fixes=(Fix(f"round up: ({name} + {divisor - 1}) / {divisor}"),),
        )
    for loop in cut_loops(facts):
        yield _of_tiles(facts, loop)


def _of_tiles(facts: KernelFacts, found: CutLoop) -> Finding:
    from ...analyzer.analyses.doubts.registry import OF_TILES

    name, tile = found.parameter.name, found.tile
    over = f"{name} % {tile}" if found.left is None else f"{found.left}"
    launched = found.launch.span if found.launch is not None and found.left is not None else None
    return Finding(
        RULE,
        found.test.location.span,
        (
            Part(f"this loop over {name} / {tile} tiles is rounded down: "),
            Part(f"the last {over} of {name} elements are in no tile"),
        ),
        facts.kernel.label,
        RULE.severity,
        label=f"{name} / {tile}",
        evidence=(
            Fact("parameter", name),
            Fact("divisor", tile),
            Fact("left_over", found.left),
        ),
        related=() if launched is None else (Related(launched, "launched with such a size"),),
        fixes=(Fix(f"round up, and check the index of each element against {name}"),),
        doubts=doubts_about(facts, OF_TILES, found),
    )
