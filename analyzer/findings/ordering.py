"""The order in which findings are reported.

By default errors come first, then what gains most when it is fixed, then the rest by severity and
place: who reads only the beginning reads what matters.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from .finding import Severity
from .rule import Category

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .finding import Finding


class Order(Enum):
    """What `--sort` can ask for."""

    GAIN = "gain"
    PLACE = "place"
    RULE = "rule"


def ordered(findings: Iterable[Finding], order: Order = Order.GAIN) -> tuple[Finding, ...]:
    """The findings in this order; those alike by their places."""
    by_place = sorted(findings, key=lambda finding: finding.sort_key)
    if order is Order.PLACE:
        return tuple(by_place)
    if order is Order.RULE:
        return tuple(sorted(by_place, key=lambda finding: finding.rule.code))
    return tuple(sorted(by_place, key=weight))


def weight(finding: Finding) -> tuple[int, bool, float]:
    """What comes first: the worst severity, what may be wrong before what is slow, then what gains
    most: of the measured time where there is any, else of the kernel's.
    """
    slow = finding.rule.category is Category.PERFORMANCE
    gain = finding.gain.time if finding.gain is not None else 0.0
    if finding.measured is not None and finding.measured.share is not None:
        gain = finding.measured.share
    return finding.severity.rank, slow, -gain


def to_begin_with(findings: Iterable[Finding], count: int) -> list[list[Finding]]:
    """The findings to begin with: errors, other defects, then what gains most. Those of one rule in
    one file are one entry: whoever reads the first knows what the others are.
    """
    alike: dict[tuple[str, Severity, str], list[Finding]] = {}
    for finding in ordered(findings):
        slow = finding.rule.category is Category.PERFORMANCE
        if finding.severity is Severity.ERROR or (
            finding.severity is Severity.WARNING and (finding.gain is not None or not slow)
        ):
            key = (finding.rule.code, finding.severity, finding.span.path)
            alike.setdefault(key, []).append(finding)
    return list(alike.values())[:count]
