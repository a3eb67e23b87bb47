"""Stores of what the place holds already: `if (tid == 0) found = 0; ... if (found) return;` in a
loop.

In: a read of a place and a store of a constant to it. Out: whether no path leads from the read to
the store but by a branch that the value read decides, and by the way of the constant: whoever
stores has read it there, and nothing is changed. Paths are followed as the graph of control has
them (`dataflow/reachability.py`).

Not handled: elements of arrays that indices choose, and values that were read elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import AccessKind, Branch, Opcode, Operation, unconverted
from ....ir.values import Constant, ObjectAddress
from ...conflicts.race_kinds import RaceKind
from ...dataflow.paths import can_reach
from ...dataflow.reachability import reachable
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ....ir.block import Block
    from ....ir.operations import MemoryAccess
    from ....ir.values import Value
    from ..question.candidates import BlockCandidate


def _changes_nothing(candidate: BlockCandidate) -> bool:
    first, second = candidate.accesses
    reading, storing = (second, first) if first.writes else (first, second)
    if reading.writes or storing.kind is not AccessKind.STORE:
        return False
    stored = storing.operands[1]
    if not isinstance(stored, Constant) or not _is_one_place(reading, storing):
        return False
    comes_again = can_reach(candidate.facts.flow, reading, storing)
    return comes_again and _is_met_only_by(reading, storing, stored)


def _is_one_place(reading: MemoryAccess, storing: MemoryAccess) -> bool:
    """Whether both mean the same place for all threads of the block: a shared variable."""
    place, other = reading.address, storing.address
    if reading.width != storing.width:
        return False
    if isinstance(place, ObjectAddress) and isinstance(other, ObjectAddress):
        return place.object is other.object
    return False


def _is_met_only_by(reading: MemoryAccess, storing: MemoryAccess, stored: Constant) -> bool:
    """Whether all paths from the read to the store go by where the two values are the same."""
    start, end = reading.block, storing.block
    operations = start.operations
    if start is end and operations.index(reading) < operations.index(storing):
        return False

    def onwards(block: Block) -> Iterable[Block]:
        last = block.terminator
        if not isinstance(last, Branch) or last.then is last.otherwise:
            return block.successors
        ways = ((last.then, True), (last.otherwise, False))
        return [way for way, taken in ways if not _says(last.condition, taken, reading, stored)]

    return all(block is not end for block in reachable(onwards(start), onwards))


def _says(condition: Value, taken: bool, reading: MemoryAccess, stored: Constant) -> bool:
    """Whether who takes this way of a branch has read the constant."""
    while isinstance(condition, Operation) and condition.opcode is Opcode.NOT:
        condition, taken = condition.operands[0], not taken
    if not isinstance(condition, Operation):
        return False
    wanted = {Opcode.EQ: True, Opcode.NE: False}.get(condition.opcode)
    if wanted is None or taken is not wanted:
        return False
    left, right = map(unconverted, condition.operands)
    other = right if left is reading else left
    return reading in (left, right) and isinstance(other, Constant) and other.value == stored.value


DOUBT = Doubt(
    "stores-what-stands-there",
    Effect.POSSIBLE,
    "whoever stores has read the same value there before, so nothing changes",
    _changes_nothing,
    frozenset({RaceKind.BARRIER, RaceKind.BARRIER_IN_LOOP, RaceKind.WARP_BARRIER}),
)
