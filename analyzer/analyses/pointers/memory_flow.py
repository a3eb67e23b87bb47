"""Values that go through memory: which store a load may get its value from.

In: the facts of a kernel. Out: pairs of a writer and a reader with the object that both may touch.
Every writer of an object counts for every reader of it: order, indices and barriers are not asked
(`last_writers.py` asks them where that is needed), so that a slice along these pairs leaves nothing
out. An access that may go anywhere meets all that may.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess
    from .facts import PointerFacts


@dataclass(frozen=True, slots=True)
class MemoryFlow:
    """A value that may go through memory from a store to a load; None for an object that is not
    known.
    """

    writer: MemoryAccess
    reader: MemoryAccess
    item: MemoryObject | None


def memory_flow(facts: PointerFacts) -> Iterator[MemoryFlow]:
    """Every pair of a writing and a reading access that a value may go between, in the order of the
    readers.
    """
    for reader in facts.accesses:
        if not reader.reads:
            continue
        seen: set[MemoryAccess] = set()
        for item in facts.points_to.touched(reader):
            for writer in (*facts.writers.get(item, ()), *facts.writers.get(None, ())):
                if writer is not reader and writer not in seen:
                    seen.add(writer)
                    yield MemoryFlow(writer, reader, item)
