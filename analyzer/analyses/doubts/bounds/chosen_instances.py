"""Accesses beyond the end of an array in one instance of a template that the host chooses.

In: a thread beyond the end of an array. Out: whether the host chooses the instance by a condition
that only a run decides (`if (dtype == kFloat)`), and another one of those that it chooses among
stays inside at the same place: what is written for all types may be meant for some.
Not handled: arrays of shared memory with a size of their own (`races/out_of_bounds.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ...array_bounds.overruns import Overrun


def _others_stay_inside(overrun: Overrun) -> bool:
    return overrun.spared


DOUBT = Doubt(
    "instance-chosen-by-host",
    Effect.POSSIBLE,
    "the host chooses this instance by a condition that only a run decides, and others stay inside",
    _others_stay_inside,
)
