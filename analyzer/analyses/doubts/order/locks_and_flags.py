"""Locks and flags that may order two accesses.

In: two accesses. Out: whether both stand after a wait for one lock and before its release, or one
before a flag is set and the other after the wait for it (`inter_block/critical_sections.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _may_be_ordered(candidate: BlockCandidate) -> bool:
    return candidate.facts.critical_sections.may_order(*candidate.accesses)


DOUBT = Doubt(
    "lock-or-flag",
    Effect.POSSIBLE,
    "a lock or a flag that the kernel waits for may order the two accesses",
    _may_be_ordered,
)
