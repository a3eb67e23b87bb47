"""What every finding of a kernel says of that kernel.

In: a kernel, and a finding of a rule. Out: the finding with where the kernel is defined and, if a
macro made its place, where in the macro. What nothing can launch does no harm: a note says it, and
why it is no more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...findings.finding import Fact, Severity

if TYPE_CHECKING:
    from ...findings.finding import Finding
    from ...ir.kernel import Kernel

_UNLAUNCHED = Fact(
    "unlaunched",
    True,
    "a note only: nothing in this file launches the kernel, and no other file can",
)


def found_in(kernel: Kernel, finding: Finding) -> Finding:
    """A finding with what is to be said of its kernel."""
    placed = replace(finding, definition=kernel.span, macro=finding.span.macro)
    if not kernel.unlaunched or placed.severity is Severity.NOTE:
        return placed
    return replace(placed, severity=Severity.NOTE, evidence=(*placed.evidence, _UNLAUNCHED))
