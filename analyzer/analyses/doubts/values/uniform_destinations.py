"""Places of a whole block at which each thread leaves data that it has found for itself.

In: a store, and what tells two threads apart. Out: whether it goes to one place for all of them,
`work[g] = row[kinds[i] * groups + g]`, with what each has loaded from a place of its own; no also
where it is not known. Data that the two find there may be equal by chance alone.
Not handled: data from shared memory, places on whose way two parts are the thread's own, and what
may bring two threads to one place (`%`, `/`, `&`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.memory import Space
from ....ir.operations import AccessKind, MemoryAccess, Opcode, Operation
from ....ir.values import SpecialRegister
from ...warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from ....ir.values import Special, Value
    from ...conflicts.facts import ConflictLaunch

_KEEPING = frozenset({Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.NEG, Opcode.CONVERT})


def shares_place(
    launch: ConflictLaunch, store: MemoryAccess, one: dict[Special, int], other: dict[Special, int]
) -> bool:
    """Whether two conflicting threads of a block store at one place what each has found
    for itself.
    """
    if launch.uniformity.of(store.address) > Uniformity.BLOCK:
        return False
    index = _own_index(launch, store.operands[1])
    return index is not None and one.get(index) != other.get(index)


def _own_index(launch: ConflictLaunch, value: Value) -> Special | None:
    """The index that decides where a value is loaded, if nothing on the way takes from it."""
    seen: set[Value] = set()
    loaded = False
    while value not in seen:  # what a loop computes comes back to itself
        seen.add(value)
        if isinstance(value, SpecialRegister):
            return value.register if loaded else None
        if isinstance(value, MemoryAccess):
            found = launch.facts.points_to.spaces(value)
            if value.kind is not AccessKind.LOAD or found != {Space.GLOBAL}:
                return None
            loaded = True
            value = value.address
        elif isinstance(value, Operation) and value.opcode in _KEEPING:
            own = [each for each in value.operands if launch.uniformity.of(each) > Uniformity.BLOCK]
            if len(own) != 1:
                return None
            value = own[0]
        else:
            return None
    return None
