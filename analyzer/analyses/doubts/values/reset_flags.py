"""Flags of a block that every iteration of a loop sets anew: `done = 1; ... if (!converged) done =
0;`.

In: a store. Out: whether it puts a constant in a shared variable that a second store in the same
loop puts another constant in. Who reads such a flag asks for what the others found in this
iteration; one that is only ever raised may be asked at any time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.memory import Space
from ....ir.operations import AccessKind
from ....ir.values import Constant, ObjectAddress

if TYPE_CHECKING:
    from ....ir.operations import MemoryAccess
    from ...conflicts.facts import ConflictFacts


def is_reset(facts: ConflictFacts, store: MemoryAccess) -> bool:
    """Whether another store of the loop around a flag's store sets the flag to something else."""
    flag, value = _flag(store), store.operands[1]
    loop = facts.flow.innermost_loop.get(store.block)
    if flag is None or loop is None or not isinstance(value, Constant):
        return False
    return any(
        _flag(other) is flag
        and other.block in loop.blocks
        and isinstance(other.operands[1], Constant)
        and other.operands[1].value != value.value
        for other in facts.accesses
        if other.kind is AccessKind.STORE
    )


def _flag(store: MemoryAccess) -> object | None:
    """The shared variable that a store goes to, and not an element of an array."""
    address = store.address
    if not isinstance(address, ObjectAddress) or address.object.space is not Space.SHARED:
        return None
    return address.object
