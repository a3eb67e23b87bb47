"""Two threads of a block that a decision parts before a barrier, and what was assumed for it.

In and out: values only; `barriers/barrier_divergence.py` finds them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ...ir.kernel import Dimensions
    from ...ir.memory import MemoryObject


@dataclass(frozen=True, slots=True)
class Datum:
    """An element of an array and the value it holds in the example that parts two threads."""

    item: MemoryObject
    offset: int
    value: int


@dataclass(frozen=True, slots=True)
class Witness:
    """Two threads of a block that a decision parts before a barrier, one comes and one does not,
    and what was assumed.
    """

    arrives: Dimensions
    misses: Dimensions
    arriving: int
    threads: int
    assumed: tuple[tuple[str, int], ...]  # parameter or value, number
    iteration: int | None  # of the loop the decision belongs to
    data: tuple[Datum, ...] | None = None  # what the two load; the others then may do either
    launchable: bool = True  # nothing that is known of the launch contradicts the numbers
    passed: frozenset[str] = frozenset()  # those of the assumed that the launch passes
    parts_warp: bool = True  # lanes of one warp go apart, not whole warps only
    used: tuple[tuple[Hashable, int], ...] = ()  # the assumed by the values themselves


#: Whether the answer is certain, and numbers under which a decision splits the block.
Split = tuple[bool, Witness | None]
