"""What a tool would not report, though it is there: its silence then says nothing.

In: a tool of compute-sanitizer and a finding. Out: why the tool cannot have seen it, or nothing.
Seen of compute-sanitizer 2025.3 with programs whose defects are known: racecheck is silent where
one of two accesses is atomic; synccheck where whole warps part, or the others wait at another
barrier; initcheck watches global memory alone. A finding that rests on example values may be of
other numbers than the run had.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..findings.finding import Finding

_EXAMPLE = "example value"  # origin of assumptions


def blind_spot(tool: str, finding: Finding) -> str:
    """Why a tool's silence is no evidence against a finding; empty where it is."""
    facts = {fact.name: fact.value for fact in finding.evidence}
    accesses = facts.get("accesses")
    if tool == "racecheck" and isinstance(accesses, list) and "atomic" in accesses:
        return "racecheck is silent about atomic accesses"
    if tool == "synccheck" and facts.get("uniformity") == "warp-uniform":
        return "synccheck is silent where whole warps part"
    if tool == "synccheck" and facts.get("others_wait"):
        return "synccheck is silent where the others wait at another barrier"
    if any(each.origin == _EXAMPLE for each in finding.assumptions):
        return "the run may have had other values than the example"
    return ""
