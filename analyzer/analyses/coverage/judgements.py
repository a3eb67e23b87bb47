"""What was seen of a kernel, and whether it was analysed: shown to the user, never hidden.

In: a kernel's facts. Out: a `Judgement` for each access to shared or global memory in each launch,
as `inspect accesses` lists them, and for everything else that was not analysed: unread statements,
calls not followed, and what was cut short: races behind a place that the run of a block does not
get beyond (as far as a rule has asked for them), warps that would take more work than a kernel is
given, instances of a template beyond those that are analysed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import AccessKind, Call, OpaqueOperation
from ..memory_traffic.access_table import judged_accesses
from ..memory_traffic.compiled_place import compiled_place
from ..warp_evaluation.reasons import OUT_OF_BUDGET
from .judgement import ACCESS, Judgement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..memory_traffic.facts import TrafficFacts


def judgements(facts: TrafficFacts) -> Iterator[Judgement]:
    """What of a kernel was analysed and what not: its accesses, and everything else that
    was not.
    """
    yield from _accesses(facts)
    kernel = facts.kernel
    for operation in kernel.operations():
        if isinstance(operation, OpaqueOperation):
            yield Judgement("statement", operation.reason, operation.location.span)
        elif isinstance(operation, Call):
            reason = f"{operation.callee}: {operation.reason}"
            yield Judgement("call", reason, operation.location.span)
    for reason in sorted(facts.unfinished):
        yield Judgement("kernel", f"race search incomplete: {reason}", kernel.span)
    if kernel.other_instances:
        reason = "their template has more instances than are analysed"
        yield Judgement("instance", reason, kernel.span, count=kernel.other_instances)
    if facts.budget.used_up:
        yield Judgement("kernel", f"some warps not evaluated: {OUT_OF_BUDGET}", kernel.span)


def _accesses(facts: TrafficFacts) -> Iterator[Judgement]:
    for launch in facts.launches:
        for row in judged_accesses(launch):
            kind = row.access.kind
            operation = AccessKind.ATOMIC if kind is AccessKind.REDUCTION else kind
            what = f"{row.space.value} {operation.value}"
            reason = "" if row.judged else row.reason
            decided_by = "" if row.bounds is None else row.bounds.decided_by
            place = compiled_place(row.access)
            yield Judgement(ACCESS, reason, place, what, decided_by=decided_by)
