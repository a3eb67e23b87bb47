"""What findings about host code have in common: they belong to no kernel.

In: a rule, a place, words. Out: a finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Finding, Fix, Part, Related

if TYPE_CHECKING:
    from ...analyzer.findings.finding import Fact
    from ...analyzer.findings.rule import Rule
    from ...analyzer.ir.host import Allocation
    from ...analyzer.source.text import Span


def host_finding(
    rule: Rule,
    span: Span,
    message: str,
    advice: str,
    *,
    label: str = "",
    evidence: tuple[Fact, ...] = (),
    related: tuple[Related, ...] = (),
    verify: str = "",
) -> Finding:
    """A finding about a place in host code."""
    return Finding(
        rule,
        span,
        (Part(message),),
        "",
        rule.severity,
        label=label,
        evidence=evidence,
        related=related,
        fixes=(Fix(advice),),
        verify=verify,
    )


def made_at(allocation: Allocation | None) -> tuple[Related, ...]:
    """A related place of a finding in host code: where its memory comes from."""
    if allocation is None or allocation.span is None:
        return ()
    where = allocation.residence.value
    label = f"{allocation.name} is {where}"
    if allocation.maker:
        label = f"{allocation.name} points to {where}, from {allocation.maker}"
    return (Related(allocation.span, label),)
