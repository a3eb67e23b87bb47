"""Blocks of the code that run where a count comes to a number: work that is left to the last block.

In: a kernel's facts and an atomic count in global memory. Out: the blocks of the code that run as a
comparison of that count decides, whether the thread that counted compares it or the threads of its
block do, by a variable in shared memory; and those that run where the count equals one number, for
one block of the launch only (`threadFenceReduction` of NVIDIA's samples).
Not handled: a count that is kept in an array or behind an unknown pointer; one number that a count
comes to again, because it wraps or is set back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, Branch, MemoryAccess, Opcode
from ...ir.values import whole_number
from ..dataflow.reachability import reachable
from ..dataflow.slices import forward_slice

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from ...ir.block import Block
    from ...ir.values import Value
    from .facts import PointerFacts

COUNTING = frozenset({"add", "inc", "dec", "sub"})
_EQUALITIES = {Opcode.EQ: True, Opcode.NE: False}
#: Of a count and something else: still another number for each thread that counts, as a rule.
_SUMS = frozenset({Opcode.CONVERT, Opcode.ADD, Opcode.SUB, Opcode.REM, Opcode.AND})


def is_count(access: MemoryAccess) -> bool:
    """Whether an access to memory counts, atomically."""
    return access.kind is AccessKind.ATOMIC and access.atomic in COUNTING


def decided_by_count(facts: PointerFacts, count: MemoryAccess) -> set[Block]:
    """The blocks of code that run by a comparison of an atomic count, itself or kept in shared
    memory.
    """
    counts = forward_slice([count], facts.users)
    counts |= forward_slice(_read_back(facts, counts), facts.users)
    behind = facts.flow.decided_by(
        block
        for block in facts.kernel.blocks
        if isinstance(block.terminator, Branch) and block.terminator.condition in counts
    )
    if any(each.block in behind and each.address in counts for each in facts.accesses):
        return set()  # a place of its own for each thread: `if (i < room) list[i] = x`
    return behind


def run_at_one_count(facts: PointerFacts) -> dict[Block, MemoryAccess]:
    """The blocks of code that run where an atomic count equals one number, each with the count."""
    found: dict[Block, MemoryAccess] = {}
    for count in filter(is_count, facts.accesses):
        if not facts.is_used(count) or facts.points_to.space_of(count) is not Space.GLOBAL:
            continue
        equal = _equalities(facts, count)
        for branch in facts.kernel.blocks:
            decision = branch.terminator
            if not isinstance(decision, Branch) or decision.condition not in equal:
                continue
            way = decision.then if equal[decision.condition] else decision.otherwise
            first = [
                block
                for block, edges in facts.flow.control_edges.items()
                if any(edge.branch is branch and edge.target is way for edge in edges)
            ]
            found.update(dict.fromkeys([*first, *facts.flow.decided_by(first)], count))
    return found


def _read_back(facts: PointerFacts, values: Container[Value]) -> list[MemoryAccess]:
    """The loads of variables in shared memory to which some of these values are stored."""
    kept = {
        facts.points_to.object_of(access)
        for access in facts.accesses
        if access.kind is AccessKind.STORE and access.operands[-1] in values
        if facts.points_to.space_of(access) is Space.SHARED
    } - {None}
    if not kept:
        return []
    loads = (access for access in facts.accesses if access.kind is AccessKind.LOAD)
    return [load for load in loads if facts.points_to.object_of(load) in kept]


def _equalities(facts: PointerFacts, count: MemoryAccess) -> dict[Value, bool]:
    """What is true where the count equals one number (True), or where it does not (False)."""

    def computed(values: Iterable[Value]) -> set[Value]:
        """With what is computed from them, and from nothing that they lead to in memory."""
        return set(
            reachable(
                values,
                lambda each: [user for user in facts.users.get(each, ()) if user.opcode in _SUMS],
            )
        )

    numbers = computed([count])
    numbers |= computed(_read_back(facts, numbers))
    equal: dict[Value, bool] = {}
    waiting = [
        (user, _EQUALITIES[user.opcode])
        for number in numbers
        for user in facts.users.get(number, ())
        if user.opcode in _EQUALITIES and not numbers.issuperset(user.operands)
    ]
    while waiting:
        truth, value = waiting.pop()
        if truth in equal:
            continue
        equal[truth] = value
        waiting += [(load, value) for load in _read_back(facts, {truth})]
        for user in facts.users.get(truth, ()):
            if user.opcode is Opcode.CONVERT or (user.opcode is Opcode.AND and value):
                waiting.append((user, value))
            elif user.opcode is Opcode.NOT:
                waiting.append((user, not value))
            elif user.opcode in _EQUALITIES and 0 in map(whole_number, user.operands):
                waiting.append((user, value is not _EQUALITIES[user.opcode]))
    return equal
