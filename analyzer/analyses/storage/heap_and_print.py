"""What threads ask of the runtime of the device: memory from its heap, and printing.

In: a kernel's facts. Out: the calls that allocate; the calls of `printf` that all threads come to
whose index is within the sizes, in a kernel that stores something. A call that one thread makes, or
that data decides about, reports something and is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import Function
from ...ir.operations import Call, Compare, MemoryAccess, Opcode, Pure
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
    for call in facts.every(Pure) if stores else ():
        if call.function is not Function.PRINTED:
            continue
        if not any(map(_selects, facts.flow.conditions(call.block))):
            yield call


def _selects(condition: Value) -> bool:
    """Whether a condition picks few threads, or asks data."""
    for part in backward_slice(condition):
        if isinstance(part, MemoryAccess | Call):
            return True
        if isinstance(part, Compare) and part.opcode in _EQUALITIES:
            return True
    return False
