"""Addresses that data makes: any thread may be led anywhere.

In: an address. Out: whether loaded data, nothing less known and no thread index, makes it; or
whether it makes a part of it beside that index, as in `out + row[blockIdx.x] * n + t`. What a
thread keeps in memory of its own is what it has put there. The member of an iterator that no code
in sight makes may be the thread's own as well. What a texture holds is loaded, too.
Not handled: what threads put into shared memory for themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import Function
from ...ir.operations import AccessKind, MemoryAccess, Opcode, Operation, Pure
from ...ir.values import SpecialRegister, Unknown
from ..dataflow.reachability import reachable
from ..dataflow.slices import backward_slice, loads_in, registers_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.values import Value
    from .facts import PointerFacts

_THREAD, _BLOCK = ("tid",), ("ctaid",)
_GLOBAL = frozenset({Space.GLOBAL, Space.GENERIC})
_OPAQUE = frozenset({Opcode.CALL, Opcode.OPAQUE, Opcode.WARP, Opcode.BARRIER})


def is_found_in_memory(facts: PointerFacts, address: Value) -> bool:
    """Whether loaded data, nothing less known and no thread index, makes an address: any thread may
    go anywhere.
    """
    return _is_made_of_loads(facts, address, (*_THREAD, "lane"))


def is_row_found_in_memory(facts: PointerFacts, address: Value) -> bool:
    """Whether loaded data that blocks do not share, and nothing less known, makes the row in an
    address, while each thread has its own place there.
    """
    loads = [each for each in loads_in(address) if each.kind is AccessKind.LOAD]
    if not any(_has(load.address, _BLOCK) for load in loads) or not _has(address, _THREAD):
        return False
    return _is_made_of_loads(facts, address, ())


def _has(value: Value, names: tuple[str, ...]) -> bool:
    """Whether registers with such names have a part in a value."""
    return any(register.value.startswith(names) for register in registers_in(value))


def _is_made_of_loads(facts: PointerFacts, address: Value, own: tuple[str, ...]) -> bool:
    """Whether loaded data, nothing less known and none of the thread's own registers, makes it."""
    stored: dict[Value, Sequence[Value]] = {}  # by load: what a thread has put there
    reads = False
    for each in reachable([address], lambda each: stored.get(each, each.operands)):
        if own and isinstance(each, SpecialRegister) and each.register.value.startswith(own):
            return False  # a place of the thread's own
        if isinstance(each, Pure) and each.function is Function.TEXTURE:
            stored[each] = ()
            reads = True
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
