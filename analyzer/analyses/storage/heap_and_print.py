"""What threads ask of the runtime of the device: memory from its heap, and printing.

In: a kernel's facts. Out: the calls that allocate, unless a single thread is launched, which waits
for none; the calls of `printf` that all threads come to whose index is within the sizes, in a
kernel that stores something. A call that one thread makes, as all of a kernel that is launched for
one, or that data decides about, reports something and is left out, as is one that threads go past
which store all the same: it speaks of what should not happen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import Function
from ...ir.operations import EQUALITIES, Call, Compare, MemoryAccess, Phi, Pure
from ..dataflow.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.values import Value
    from ..dataflow.control_flow import ControlFlow
    from ..races.facts import RaceFacts

_LASTING = frozenset({Space.GLOBAL, Space.GENERIC})


def allocations(facts: RaceFacts) -> Iterator[Call]:
    """The calls in a kernel of several threads that take memory from the heap of the device."""
    calls = () if _is_one_thread(facts) else facts.every(Call)
    return (call for call in calls if call.allocates)


def prints_of_all(facts: RaceFacts) -> Iterator[Pure]:
    """The calls of `printf` by every thread, in a kernel that stores something."""
    stores = [
        access
        for access in facts.accesses
        if access.writes and facts.points_to.spaces(access) & _LASTING
    ]
    for call in facts.every(Pure) if stores and not _is_one_thread(facts) else ():
        if call.function is not Function.PRINTED:
            continue
        conditions = facts.flow.conditions(call.block)
        if any(_selects(part) for part in _parts(facts, conditions)):
            continue
        if any(_goes_with(facts.flow, call.block, store.block) for store in stores):
            yield call


def _goes_with(flow: ControlFlow, call: Block, store: Block) -> bool:
    """Whether threads that come to a store come to a call, too; a loop is taken to be entered."""
    for loop in flow.loop_nest(call):
        if store in loop.blocks:
            break
        if not flow.is_in_every_iteration(call, loop):
            return False
        call = loop.header
    before, after = flow.dominators, flow.post_dominators
    first, second = call.index, store.index
    return before.dominates(first, second) or after.dominates(first, second)


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
    if isinstance(part, Compare) and part.opcode in EQUALITIES:
        return True
    return isinstance(part, MemoryAccess | Call)
