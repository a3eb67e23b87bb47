"""Stores of two threads that write the same value: who comes last makes no difference.

In: two threads at two stores, or at one. Out: whether they are known to write the same: one number,
or one value that all threads of the block (of the warp, for two of its lanes) have, computed alike
from what the kernel does not write. Also which of them are flags that a vote of the block could
take the place of. Not handled: values of loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.memory import Space
from ..ir.operations import AccessKind, Opcode, Operation, Phi
from ..ir.values import Constant
from .block_program import computed_from
from .lane_values import WARP
from .uniformity import Uniformity
from .value_names import alike

if TYPE_CHECKING:
    from ..ir.values import Value
    from .conflicts import Conflict, Touch, Tracked

_STORES = (AccessKind.STORE, AccessKind.STORE)


def stores_alike(tracked: Tracked, first: Touch, second: Touch) -> bool:
    """Whether two stores are known to write the same value."""
    if (first.access.kind, second.access.kind) != _STORES:
        return False
    if first.stored is not None and second.stored is not None:
        return first.stored == second.stored
    value, other = first.access.operands[1], second.access.operands[1]
    if isinstance(value, Constant) and isinstance(other, Constant):
        return value.value == other.value
    same_warp = first.thread // WARP == second.thread // WARP
    level = Uniformity.WARP if same_warp else Uniformity.BLOCK
    if tracked.launch.uniformity.of(value) > level:
        return False
    if value is other:
        return first.visit is second.visit
    value, other = _repeated(value), _repeated(other)
    parts = computed_from(value)
    # Another round of a loop, or a store of the kernel, may make it another value.
    changes = any(isinstance(each, Phi) or each in tracked.accesses for each in parts)
    return not changes and alike(value, other)


def sets_flag(conflict: Conflict) -> bool:
    """Whether two threads store a constant in shared memory, each if data says so."""
    first, second = conflict.first, conflict.second
    return (
        conflict.item.space is Space.SHARED
        and not (first.sure or second.sure)
        and isinstance(second.access.operands[1], Constant)
    )


def _repeated(value: Value) -> Value:
    """The value that a vector holds in each of its components; else the value itself."""
    while isinstance(value, Operation) and value.opcode is Opcode.AGGREGATE and value.operands:
        first, *others = value.operands
        if not all(each is first or alike(first, each) for each in others):
            break
        value = first
    return value
