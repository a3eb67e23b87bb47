"""Rules in SARIF: what GitHub and the viewers show beside a finding.

In: a `Rule`. Out: its `reportingDescriptor`. GitHub reads `help.markdown`, the VS Code viewer
`fullDescription.markdown`; both texts come from the rule's page. `security-severity` is left out:
it would turn every alert into a security alert.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..findings.finding import Certainty, Severity
from ..findings.rule import Category
from .sarif_records import Message, ReportingConfiguration, ReportingDescriptor

if TYPE_CHECKING:
    from ..findings.rule import Rule

#: GitHub cuts descriptions beyond this.
_LONGEST = 1024

_PRECISION = {Certainty.DEFINITE: "high", Certainty.POSSIBLE: "medium"}
_PROBLEM = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "recommendation",
}
_TAGS = {
    Category.CORRECTNESS: ("correctness", "reliability"),
    Category.SUSPICIOUS: ("correctness",),
    Category.PERFORMANCE: ("performance", "efficiency"),
    Category.REPORT: ("report",),
}


def descriptor(rule: Rule) -> ReportingDescriptor:
    """The rule as SARIF describes it."""
    summary = rule.summary[:1].upper() + rule.summary[1:] + "."
    what = rule.sections.get("What it does") or summary
    inputs = sorted(item.value for item in rule.inputs)
    return ReportingDescriptor(
        id=rule.code,
        name=rule.name,
        short_description=Message(_cut(summary)),
        full_description=Message(_cut(what), what),
        help=Message(rule.page or summary, rule.page or summary),
        default_configuration=ReportingConfiguration(rule.default, rule.severity.value),
        properties={
            "category": rule.category.value,
            "certainty": rule.certainty.value,
            "precision": _PRECISION[rule.certainty],
            "problem.severity": _PROBLEM[rule.severity],
            "tags": ["gpu", *inputs, *_TAGS[rule.category]],
        },
    )


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
