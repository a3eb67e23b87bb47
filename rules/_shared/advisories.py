"""A warning of the compiler as a finding.

In: an advisory of a build log, and the kernel it speaks of. Out: a finding at the line that the
advisory names, in PTX, or else at the kernel's head.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Part

if TYPE_CHECKING:
    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.findings.rule import Rule
    from ...analyzer.resources.ptxas_log import Advisory


def advisory_finding(rule: Rule, facts: KernelFacts, advisory: Advisory) -> Finding:
    """The finding for a warning of the compiler in a build log."""
    kernel = facts.kernel
    span = kernel.span
    if advisory.line is not None and facts.speaks_of_file(advisory):
        span = kernel.span.source.span_of_line(advisory.line)
    number = f"{advisory.code}: " if advisory.code.startswith("C7") else ""
    return Finding(
        rule,
        span,
        (Part(f"compiler warning: {number}{advisory.text}"),),
        kernel.label,
        rule.severity,
        label="compiler warning in the build log",
        evidence=(
            Fact("advisory", advisory.code),
            Fact("log_line", advisory.log_line, f"on line {advisory.log_line} of the build log"),
        ),
        arch=facts.build.arch,
    )
