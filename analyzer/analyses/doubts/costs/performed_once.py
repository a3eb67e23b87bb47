"""Accesses that a thread performs once, in a kernel whose loops access memory that is no faster.

In: accesses. Out: whether all of them stand outside of all loops while loops access such memory:
what the loops do then decides how long the kernel takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...memory_traffic.access_weight import is_done_once
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import Accesses


def _are_performed_once(candidate: Accesses) -> bool:
    return all(is_done_once(candidate.facts, access) for access in candidate.accesses)


DOUBT = Doubt(
    "performed-once",
    Effect.POSSIBLE,
    "a thread does it once, while loops of the kernel access memory again and again",
    _are_performed_once,
)
