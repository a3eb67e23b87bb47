"""What two accesses that conflict lack.

In and out: values only; `races/block_races.py` and `races/grid_races.py` sort conflicts by them,
and each doubt says about which of them it is asked.
"""

from __future__ import annotations

from enum import Enum


class RaceKind(Enum):
    """What two conflicting accesses lack: a barrier, an atomic operation, an order
    between blocks.
    """

    BARRIER = "missing barrier"
    BARRIER_IN_LOOP = "missing barrier between iterations of a loop"
    WARP_BARRIER = "missing __syncwarp"
    WRITES = "different values written to one location"
    EQUAL_WRITES = "the same value written to one location"
    UPDATE = "update that is not atomic"
    CHECK = "check-then-increment that is not atomic"
    BLOCKS = "unordered accesses by two blocks"
    SCOPE = "block-scope atomics used by several blocks"

    @property
    def subject(self) -> str:
        """What a finding of this kind is judged as: the name that rules and users give it."""
        return self.name.lower().replace("_", "-")
