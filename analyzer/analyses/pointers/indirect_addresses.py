"""Addresses that data makes: any thread may be led anywhere.

In: an address. Out: whether loaded data, nothing less known and no thread index, makes it. What a
thread keeps in memory of its own is what it has put there. The member of an iterator that no code
in sight makes may be the thread's own as well.
Not handled: what threads put into shared memory for themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, MemoryAccess, Opcode, Operation
from ...ir.values import SpecialRegister, Unknown
from ..dataflow.reachability import reachable
from ..dataflow.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.values import Value
    from .facts import PointerFacts

_GLOBAL = frozenset({Space.GLOBAL, Space.GENERIC})
_OPAQUE = frozenset({Opcode.CALL, Opcode.OPAQUE, Opcode.WARP, Opcode.BARRIER})


def is_found_in_memory(facts: PointerFacts, address: Value) -> bool:
    """Whether loaded data, nothing less known and no thread index, makes the address."""
    stored: dict[Value, Sequence[Value]] = {}  # by load: what a thread has put there
    reads = False
    for each in reachable([address], lambda each: stored.get(each, each.operands)):
        if isinstance(each, SpecialRegister) and each.register.value.startswith(("tid", "lane")):
            return False  # a place of the thread's own
        if isinstance(each, Unknown) or (isinstance(each, Operation) and each.opcode in _OPAQUE):
            return False
        if isinstance(each, MemoryAccess):
            kept = _kept(facts, each)
            if kept is None:
                return False
            stored[each] = kept
            reads = reads or not kept
    return reads


def _kept(facts: PointerFacts, load: MemoryAccess) -> Sequence[Value] | None:
    """What a thread has put where it loads from, nothing for data; None where that is not seen."""
    if load.atomic or any(isinstance(e, Unknown) and e.per_thread for e in backward_slice(load)):
        return None
    if Space.LOCAL not in facts.points_to.spaces(load):
        return ()
    touched = facts.points_to.touched(load)
    own = {each: None for item in touched for each in facts.writers.get(item, ())}
    if None in touched or any(each.kind is not AccessKind.STORE for each in own):
        return None
    return [each.operands[1] for each in own] or None
