"""What threads ask of the runtime of the device: memory from its heap, and printing.

In: a kernel's facts. Out: the calls that allocate; the calls of `printf` that all threads come to
whose index is within the sizes, in a kernel that stores something. A call that one thread makes, as
all of a kernel that is launched for one, or that data decides about, reports something and is left
out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import Function
from ...ir.operations import Call, Compare, MemoryAccess, Opcode, Phi, Pure
from ..dataflow.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.values import Value
    from ..races.facts import RaceFacts

_EQUALITIES = frozenset({Opcode.EQ, Opcode.NE})
_LASTING = frozenset({Space.GLOBAL, Space.GENERIC})


def allocations(facts: RaceFacts) -> Iterator[Call]:
    """The calls that take memory from the heap of the device."""
    return (call for call in facts.every(Call) if call.allocates)


def prints_of_all(facts: RaceFacts) -> Iterator[Pure]:
    """The calls of `printf` by every thread, in a kernel that stores something."""
    stores = any(
        access.writes and facts.points_to.spaces(access) & _LASTING for access in facts.accesses
    )
    for call in facts.every(Pure) if stores and not _is_one_thread(facts) else ():
        if call.function is not Function.PRINTED:
            continue
        conditions = facts.flow.conditions(call.block)
        if not any(_selects(part) for part in _parts(facts, conditions)):
            yield call


def _is_one_thread(facts: RaceFacts) -> bool:
    """Whether all launches of the kernel are known, and each is one thread."""
    launches = [each.launch for each in facts.launches]
    return all(
        each.trusted and not each.guessed and each.threads == each.block_count == 1
        for each in launches
    )


def _parts(facts: RaceFacts, conditions: list[Value]) -> Iterator[Value]:
    """What conditions are made of, and what decides which of several values a part of them has."""
    asked: set[Phi] = set()
    while conditions:
        parts = list(backward_slice(*conditions))
        yield from parts
        chosen = [part for part in parts if isinstance(part, Phi) and part not in asked]
        asked.update(chosen)
        conditions = [
            condition
            for phi in chosen
            for before in phi.block.predecessors
            for condition in facts.flow.conditions(before)
        ]


def _selects(part: Value) -> bool:
    """Whether a part of a condition picks few threads, or asks data."""
    if isinstance(part, Compare) and part.opcode in _EQUALITIES:
        return True
    return isinstance(part, MemoryAccess | Call)
