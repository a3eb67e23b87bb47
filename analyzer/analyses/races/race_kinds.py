"""A race: two threads, what they touch, and what the two accesses lack.

In and out: values only; `block_races.py` finds those of a block, `grid_races.py` those of two.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ...source.records import dataclass

if TYPE_CHECKING:
    from ...ir.values import Value
    from ..block_execution.access_events import Conflict
    from ..dataflow.control_flow import Loop
    from .block_races import BlockRaces


class RaceKind(Enum):
    """What the two accesses lack."""

    BARRIER = "missing barrier"
    BARRIER_IN_LOOP = "missing barrier between iterations of a loop"
    WARP_BARRIER = "missing __syncwarp"
    WRITES = "different values written to one location"
    EQUAL_WRITES = "the same value written to one location"
    UPDATE = "update that is not atomic"
    CHECK = "check-then-increment that is not atomic"
    BLOCKS = "unordered accesses by two blocks"
    SCOPE = "block-scope atomics used by several blocks"


@dataclass(frozen=True, slots=True)
class Race:
    """Two threads of a block, or of two, and what nothing orders."""

    kind: RaceKind
    conflict: Conflict
    races: BlockRaces
    assumed: tuple[tuple[Value, int], ...]  # the numbers that addresses, guards, loops depend on
    decisive: tuple[tuple[Value, int], ...]  # those of them that more than a loop depends on
    definite: bool
    loop: Loop | None = None  # whose iterations the two accesses stand in
