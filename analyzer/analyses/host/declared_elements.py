"""Memory that holds what copies say, and no pointers, as the declaration of its pointer says.

In: the size of a copy or an allocation, the memory, and what is copied from or to it. Out: whether
`float **p` is one star too many for the floats that are counted, and that the other end of every
copy holds: then the sizes agree with each other, and only the declaration does not. Memory that has
room for as many pointers was meant for them. Not handled: other types that do not fit each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.host_formulas import ratio

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...ir.host import Allocation, HostArgument


def is_declared_otherwise(
    size: HostArgument, memory: Allocation, others: Iterable[HostArgument]
) -> bool:
    """Whether a size counts what all other ends of copies hold, and the memory, too, but for what
    its pointer says.
    """
    if not memory.of_pointers or len(size.measures) != 1:
        return False
    (measure,) = size.measures
    held = {width for each in others if (width := _width(each))}
    return held == {measure.size} and not _has_room_for_pointers(size, memory)


def _width(end: HostArgument) -> int | None:
    """The bytes of an element at an end of a copy."""
    return end.element_size if end.pointer is None else end.pointer.allocation.element_size


def _has_room_for_pointers(size: HostArgument, memory: Allocation) -> bool:
    """Whether the memory was made for as many pointers as a size counts of something smaller."""
    if size.formula is None or memory.size is None:
        return False
    found = ratio(memory.size, size.formula)
    if found is None or not memory.element_size or not size.measures[0].size:
        return False
    return found[0] * size.measures[0].size == found[1] * memory.element_size
