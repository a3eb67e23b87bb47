"""What a measurement says of a finding: a record that reports show beside the prediction."""

from __future__ import annotations

from enum import Enum

from ..source.records import dataclass


class Standing(Enum):
    """How a finding stands after a program was measured."""

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    NOT_COVERED = "not covered"


@dataclass(frozen=True, slots=True)
class Measurement:
    """The outcome for one finding; numbers are ratios to the ideal, or None."""

    standing: Standing
    text: str  # what was measured, or why nothing was
    predicted: float | None = None
    measured: float | None = None
    share: float | None = None  # of all measured time, that its lines take


@dataclass(frozen=True, slots=True)
class HotLine:
    """A line that takes time and has no finding."""

    path: str
    line: int
    kernel: str
    share: float  # of all measured time
    source: str
    text: str  # what else is known of it
