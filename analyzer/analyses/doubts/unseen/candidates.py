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
    """What doubts about unseen headers judge: a shuffle or vote without a mask, which
    CUDA removed.
    """

    facts: ConflictFacts
    operation: Operation


@dataclass(frozen=True, slots=True)
class PlaceCandidate:
    """What doubts about unseen headers judge: a place where a finding says that a kernel loses
    time.
    """

    facts: ConflictFacts
    span: Span
