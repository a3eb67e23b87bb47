"""What was seen and not analysed, counted by reason: shown to the user, never hidden.

In: a kernel's facts. Out: (kind, reason, count) for unread statements, calls not followed, shared
accesses whose addresses are not known, and what was cut short: races behind a place that the run of
a block does not get beyond (as far as a rule has asked for them), warps that would take more work
than a kernel is given, instances of a template beyond those that are analysed.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import Call, OpaqueOperation

if TYPE_CHECKING:
    from .facts import TrafficFacts


def unanalysed(facts: TrafficFacts) -> tuple[tuple[str, str, int], ...]:
    """Everything not analysed, most frequent first."""
    found: Counter[tuple[str, str]] = Counter()
    for operation in facts.kernel.operations():
        if isinstance(operation, OpaqueOperation):
            found["statement", operation.reason] += 1
        elif isinstance(operation, Call):
            found["call", f"{operation.callee}: {operation.reason}"] += 1
    for access in facts.accesses:
        if Space.GENERIC in facts.points_to.spaces(access):
            found["access", "the address may point to any memory"] += 1
    for shared in facts.shared_accesses:
        if shared.reason:
            found["access", shared.reason] += 1
    for reason in facts.unfinished:
        found["kernel", f"race search incomplete: {reason}"] += 1
    if facts.kernel.other_instances:
        reason = f"{facts.kernel.name} has more instances than are analysed"
        found["instance", reason] += facts.kernel.other_instances
    if facts.budget.used_up:
        found["kernel", "some warps not evaluated: analysis budget exhausted"] += 1
    return tuple((kind, reason, count) for (kind, reason), count in found.most_common())
