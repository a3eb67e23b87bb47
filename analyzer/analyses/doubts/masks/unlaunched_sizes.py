"""Sizes for which lanes are missing, and that the host cannot pass together, or in this grid.

In: a mask that does not fit. Out: whether the numbers that were assumed contradict what the launch
makes its grid and its arguments of, as one element in a grid of two blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import MaskCandidate


def _cannot_be_passed(candidate: MaskCandidate) -> bool:
    return not candidate.is_launchable


DOUBT = Doubt(
    "warp-not-launched",
    Effect.POSSIBLE,
    "no launch in the file can pass the sizes for which lanes are missing",
    _cannot_be_passed,
)
