"""Reads that an atomic operation makes up for: a stale value costs an iteration and nothing else.

In: two accesses to one place. Out: whether one is a plain load and the other an atomic operation
that asks again what was read (`conflicts/optimistic_reads.py`), as the loop of a compare-and-swap
or `if (v < *p) atomicMin(p, v)` do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conflicts.optimistic_reads import is_optimistic_read
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _is_asked_again(candidate: BlockCandidate) -> bool:
    return is_optimistic_read(candidate.facts, *candidate.accesses)


DOUBT = Doubt(
    "optimistic-read",
    Effect.BENIGN,
    "the atomic operation checks the value again, so a stale read only costs another attempt",
    _is_asked_again,
)
