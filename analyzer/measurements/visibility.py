"""By what a finding can be seen: the measurement that its `verify` names.

In: a finding. Out: the tool of compute-sanitizer, the two counters of Nsight Compute's source page
that are compared, or whether it is the occupancy of a launch.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..findings.finding import Finding

_TOOL = re.compile(r"compute-sanitizer --tool (\w+)")
_RATIO = re.compile(r"# (\w+) against (\w+)")


def tool_of(finding: Finding) -> str:
    """The tool of compute-sanitizer that shows a finding: `racecheck`; empty where none does."""
    found = _TOOL.match(finding.verify)
    return found[1] if found else ""


def counters_of(finding: Finding) -> tuple[str, str] | None:
    """The counters of Nsight Compute that measure a finding: what is executed, and the ideal."""
    found = _RATIO.search(finding.verify)
    return (found[1], found[2]) if found else None


def is_occupancy(finding: Finding) -> bool:
    """Whether Nsight Compute's details page measures a finding, by its theoretical occupancy."""
    return "Theoretical Occupancy" in finding.verify
