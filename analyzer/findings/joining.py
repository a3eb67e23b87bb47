"""Findings of one function reported as one, for rules of which a function tends to have many.

In: the findings that are left after suppressions, baselines and fixes, which all speak of single
places. Out: for such a rule the first finding of each function, with the number of the others,
their places, and the edits of all of them. Those whose edits are safe and those whose edits are not
stay apart, as a fix is the one or the other. A function that is called is one for each call through
which it was found.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .finding import Fact, Part, Related

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from .finding import Finding


def joined(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each finding, or the first one of its function for all of them, in the order given."""
    groups: dict[Hashable, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_function(finding) if finding.rule.joins else id(finding), []).append(
            finding
        )
    return tuple(map(_as_one, groups.values()))


def _function(finding: Finding) -> Hashable:
    """What the findings of one function have in common."""
    calls = tuple((each.span.path, each.span.start) for each in finding.related)
    ways = tuple(fix.applicability for fix in finding.fixes)
    return finding.rule.code, finding.span.path, finding.kernel, finding.certainty, calls, ways


def _as_one(findings: list[Finding]) -> Finding:
    first, *others = findings
    if not others:
        return first
    places = f"; {len(others):,} more in this function"
    edits = zip(*(finding.fixes for finding in findings), strict=True)
    return replace(
        first,
        message=(*first.message, Part(places)),
        evidence=(*first.evidence, Fact("more", len(others))),
        related=(*first.related, *(Related(other.span, other.label) for other in others)),
        fixes=tuple(
            replace(fixes[0], edits=tuple(edit for fix in fixes for edit in fix.edits))
            for fixes in edits
        ),
    )
