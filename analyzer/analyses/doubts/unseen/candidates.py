"""A call of something that CUDA removed; a place where time is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....source.records import dataclass

if TYPE_CHECKING:
    from ....ir.operations import Operation
    from ....source.text import Span
    from ...conflicts.facts import ConflictFacts


@dataclass(frozen=True, slots=True)
class RemovedCandidate:
    """A shuffle or vote without a mask."""

    facts: ConflictFacts
    operation: Operation


@dataclass(frozen=True, slots=True)
class PlaceCandidate:
    """Where a finding says that a kernel loses time."""

    facts: ConflictFacts
    span: Span
