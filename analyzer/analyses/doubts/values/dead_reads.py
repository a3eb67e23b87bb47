"""Reads by threads that make nothing of them: `old = *p; if (lane == 0) *p = old + n;`.

In: two threads of a block. Out: whether one of them only reads, and nothing that it does depends on
what it finds (`conflicts/dead_reads.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conflicts.dead_reads import is_dead_read
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _is_read_in_vain(candidate: BlockCandidate) -> bool:
    decisions = candidate.context.decisions(candidate.run)
    return is_dead_read(candidate.facts, candidate.conflict, decisions)


DOUBT = Doubt(
    "dead-read",
    Effect.BENIGN,
    "the thread that reads does not use the value: only the thread that writes does",
    _is_read_in_vain,
)
