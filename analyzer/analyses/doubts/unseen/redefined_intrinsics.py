"""Intrinsics that CUDA removed, in files with headers that were not found.

In: a shuffle or vote without a mask. Out: whether a header is missing and the operation is written
as a call: projects that keep such calls map their names to today's
(`#define __shfl_down(v, n) __shfl_down_sync(~0u, v, n)`). Nothing can do so inside of `asm`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import RemovedCandidate


def _may_be_redefined(candidate: RemovedCandidate) -> bool:
    return bool(candidate.facts.module.unseen.names) and not candidate.operation.location.assembly


DOUBT = Doubt(
    "redefined-intrinsic",
    Effect.POSSIBLE,
    "a header that was not found may map this name to the intrinsic with a mask",
    _may_be_redefined,
    names_headers=True,
)
