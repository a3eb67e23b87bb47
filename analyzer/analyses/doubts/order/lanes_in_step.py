"""Lanes of one warp before Volta: they run in step, so what one does first is done first.

In: two lanes of one warp, and the architecture asked for. Out: whether the order of the program
orders them (CUDA C++ Programming Guide, "Independent Thread Scheduling").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conflicts.race_kinds import RaceKind
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate

VOLTA = 70  # from here on the lanes of a warp run on their own


def _run_in_step(candidate: BlockCandidate) -> bool:
    return candidate.conflict.same_warp and candidate.facts.options.arch < VOLTA


DOUBT = Doubt(
    "lanes-in-step",
    Effect.BENIGN,
    "both threads are lanes of one warp, which run in lockstep before sm_70",
    _run_in_step,
    frozenset({RaceKind.WARP_BARRIER, RaceKind.BARRIER, RaceKind.BARRIER_IN_LOOP}),
)
