"""Arrays and structures of a thread, as far as the compiler keeps their elements in registers.

In: stores and loads at known offsets, in the order of the code. Out: what each element holds; a
store needs no operation, and a load is what was stored. `Cells` are those of one place of the code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .held import Held, part_of, whole

if TYPE_CHECKING:
    from ...ir.memory import MemoryObject

_WORD = 4
_MOST_WORDS = 64  # of a structure that is taken apart

Cells = dict[tuple["MemoryObject", int], tuple[int, Held]]  # from an offset on: bytes, value


def store(cells: Cells, item: MemoryObject, offset: int, size: int, value: Held) -> None:
    """Writes elements of a thread's array that compiled code keeps in registers; those of an
    aggregate each for itself.
    """
    if value.fields:
        for at, length, part in value.fields:
            store(cells, item, offset + at, length, part)
        return
    if value.registers and size > 2 * _WORD:
        for at in range(0, min(size, _MOST_WORDS * _WORD), _WORD):
            store(cells, item, offset + at, _WORD, part_of(value, at, _WORD))
        return
    for at in range(offset + 1, offset + size):
        cells.pop((item, at), None)
    cells[item, offset] = size, value


def load(cells: Cells, item: MemoryObject, offset: int, size: int) -> Held:
    """What compiled code holds of elements of a thread's array; free where nothing was written."""
    found = cells.get((item, offset))
    if found is not None and found[0] == size:
        return found[1]
    if found is not None and found[0] > size:
        return part_of(found[1], 0, size)
    inside = [
        (at - offset, length, value)
        for (other, at), (length, value) in cells.items()
        if other is item and at < offset + size and offset < at + length
    ]
    if not inside:
        return Held(("unwritten", item, offset))
    if len(inside) == 1 and inside[0][0] < 0:
        return part_of(inside[0][2], -inside[0][0], size)
    return whole(sorted(inside, key=lambda each: each[0]))
