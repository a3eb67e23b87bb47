"""A call of something that CUDA removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....source.records import dataclass

if TYPE_CHECKING:
    from ....ir.operations import Operation
    from ...conflicts.facts import ConflictFacts


@dataclass(frozen=True, slots=True)
class RemovedCandidate:
    """A shuffle or vote without a mask."""

    facts: ConflictFacts
    operation: Operation
