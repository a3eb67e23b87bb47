"""The doubts that are asked about what costs time: most files have some of it, and few a race.

`registry.py` lists all doubts, a hundred modules; a file without a race gets along with these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .costs import (
    caches,
    index_from_data,
    layout_of_others,
    performed_once,
    repeated_stores,
    sectors_used,
    single_columns,
    small_conflicts,
    small_strides,
    unneeded_gaps,
    vector_tails,
)
from .unseen import optional_code

if TYPE_CHECKING:
    from ..memory_traffic.loop_stores import LoopStore
    from ..memory_traffic.sector_reuse import Reuse
    from .costs.candidates import (
        ConflictCandidate,
        ConstantCandidate,
        LayoutCandidate,
        ReuseCandidate,
        StrideCandidate,
        TailCandidate,
    )
    from .question.doubt import Doubt
    from .unseen.candidates import PlaceCandidate

#: Asked of a load from constant memory by which the lanes of a warp do not agree.
OF_CONSTANTS: tuple[Doubt[ConstantCandidate], ...] = (
    index_from_data.DOUBT,
    performed_once.DOUBT,
)

#: Asked of what is used of the sectors that an access to global memory moves beyond its need.
OF_SECTORS: tuple[Doubt[Reuse], ...] = (sectors_used.DOUBT,)

#: Asked of an access to global memory that moves more sectors than it needs.
OF_LAYOUTS: tuple[Doubt[LayoutCandidate], ...] = (
    layout_of_others.DOUBT,
    unneeded_gaps.DOUBT,
)

#: Asked of accesses to global memory whose lanes are apart by a parameter.
OF_ROWS: tuple[Doubt[StrideCandidate], ...] = (
    small_strides.DOUBT,
    single_columns.DOUBT,
    performed_once.DOUBT,
)

#: Asked of accesses to shared memory whose lanes are apart by a parameter.
OF_BANKS: tuple[Doubt[StrideCandidate], ...] = (performed_once.DOUBT,)

#: Asked of accesses to shared memory with bank conflicts.
OF_CONFLICTS: tuple[Doubt[ConflictCandidate], ...] = (small_conflicts.DOUBT,)

#: Asked of accesses that cost more than they must, to either memory.
OF_TAILS: tuple[Doubt[TailCandidate], ...] = (vector_tails.DOUBT,)

#: Asked of elements that several threads of a block load in a loop.
OF_REUSE: tuple[Doubt[ReuseCandidate], ...] = (caches.DOUBT,)

#: Asked of a store to one address in every iteration of a loop.
OF_LOOP_STORES: tuple[Doubt[LoopStore], ...] = (repeated_stores.DOUBT,)

#: Asked of the place of whatever costs time.
OF_PLACES: tuple[Doubt[PlaceCandidate], ...] = (optional_code.DOUBT,)
