"""What threads of a block do when they come to an access.

In: an access, the threads that come, the values of a run. Out: the event that observers hear of:
who touches what, from which address on, how many bytes. What several threads do together is done
once, by the first of them; rows of a matrix are read from the addresses of as many lanes as there
are rows, 8 for each register that `ldmatrix` fills. Not handled: a number of bytes that differs
between threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.asynchronous import SizedAccess
from ...ir.operation_kinds import AccessKind, widest
from ...ir.tiles import TileAccess
from .run_context import AccessEvent, Place
from .thread_vectors import first_lanes, first_of_each

if TYPE_CHECKING:
    from ...ir.operations import MemoryAccess
    from .block_values import BlockValues


def event_of(
    access: MemoryAccess, place: Place, values: BlockValues, iterations: tuple[int, ...]
) -> AccessEvent:
    """The access of a run that these threads make, in these iterations of the loops around it."""
    width = access.width
    if isinstance(access, SizedAccess):
        extent = values.of(access.extent)
        if isinstance(extent, int) and 0 < extent <= widest(access.kind):
            width = extent
        if access.collective is not None:
            place = _together(place, access.collective or values.count, values.count)
    elif access.kind is AccessKind.MATRIX_LOAD and access.type.width:
        asked = first_lanes(2 * access.type.width, values.count)
        place = Place(place.must & asked, place.may & asked)
    stores = access.kind is AccessKind.STORE  # others leave nothing as it is
    given = values.of(access.operands[1]) if len(access.operands) > 1 else None
    copies = access.kind is AccessKind.ASYNC_COPY  # what it is given is where it copies from
    lines = access.lines if isinstance(access, TileAccess) else None
    width = width if lines is None else lines.extent
    return AccessEvent(
        access,
        place.must,
        place.may,
        values.of(access.address),
        None if copies else given,
        iterations,
        width,
        values.keeping(access, place.threads) if stores else 0,
        values.origin(access) if stores else given if copies else None,
        values.sources(access) if stores else {},
        lines,
    )


def _together(place: Place, group: int, count: int) -> Place:
    """Of each so many threads in a row the first one: one that is sure to come, where some are."""
    first = first_of_each(place.must or place.may, group, count)
    return Place(first, 0) if place.must else Place(0, first)
