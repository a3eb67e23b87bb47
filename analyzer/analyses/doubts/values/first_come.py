"""Places that the first of several threads takes: `if (chosen == none && mine) chosen = own;`.

In: two threads, one of which stores its value only where a mark still stands, the same for all of
the block, while the other reads the place only to ask for that mark, or stores like the first. Out:
whether all that hangs on such a question is the store itself. Then a thread that still reads the
mark does what it would have done as the first one, and every way the two meet leaves what some
order of them leaves. So it is where the mark itself is stored unless it stands there already:
`if (wanted[i] && found) wanted[i] = 0;`. A question such as `chosen < own` is none: there the
greater one may be lost. Not handled: questions with several loads of the place, and results that
are kept in a variable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import (
    EFFECTS,
    EQUALITIES,
    TERMINATORS,
    AccessKind,
    Compare,
    MemoryAccess,
    Opcode,
    Phi,
    unconverted,
)
from ....ir.values import Constant
from ...dataflow.joined_conditions import joined_conditions
from ...dataflow.value_numbering import alike
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....ir.block import Block
    from ....ir.values import Value
    from ...conflicts.facts import ConflictFacts
    from ..question.candidates import AnyCandidate


def _is_taken_by_the_first(candidate: AnyCandidate) -> bool:
    marks = [_mark(candidate, access) for access in candidate.accesses]
    first, second = marks
    kinds = {access.kind for access in candidate.accesses}
    if AccessKind.STORE not in kinds or first is None or second is None:
        return False
    return alike(first, second)


def _mark(candidate: AnyCandidate, access: MemoryAccess) -> Value | None:
    """The mark for which an access asks, or that lets it store."""
    facts = candidate.facts
    if access.kind is AccessKind.LOAD:
        question = _question(facts, access)
        questions = [] if question is None else [question]
    elif access.kind is AccessKind.STORE:
        questions = list(_questions_before(facts, access))
    else:
        return None
    for question in questions:
        load, mark = _parts(facts, question)
        if load is None or mark is None or not alike(load.operands[0], access.operands[0]):
            continue
        agreed = candidate.judged_for.uniformity.of(mark) <= candidate.level
        if agreed and _serves_only_stores(facts, question, load):
            return mark
    return None


def _question(facts: ConflictFacts, load: MemoryAccess) -> Compare | None:
    """The one comparison that a load serves."""
    users = list(facts.users.get(load, ()))
    while len(users) == 1 and unconverted(users[0]) is load:
        users = list(facts.users.get(users[0], ()))
    found = users[0] if len(users) == 1 else None
    return found if isinstance(found, Compare) and found.opcode in EQUALITIES else None


def _questions_before(facts: ConflictFacts, store: MemoryAccess) -> Iterator[Compare]:
    """The comparisons that found their mark wherever a store is made, or did not find it where the
    mark is what is stored.
    """
    for edge in facts.flow.controlling_edges(store.block):
        if edge.condition is None:
            continue
        for each, holds in joined_conditions(*edge.condition):
            if isinstance(each, Compare) and each.opcode in EQUALITIES:
                found = holds == (each.opcode is Opcode.EQ)
                if found or any(_is_same(store.operands[1], mark) for mark in each.operands):
                    yield each


def _is_same(one: Value, other: Value) -> bool:
    one, other = unconverted(one), unconverted(other)
    return isinstance(one, Constant) and isinstance(other, Constant) and one.value == other.value


def _parts(facts: ConflictFacts, question: Compare) -> tuple[MemoryAccess | None, Value | None]:
    """The load that a comparison asks about, and what it compares with."""
    operands = [unconverted(each) for each in question.operands]
    for load, mark in (operands, operands[::-1]):
        if not isinstance(load, MemoryAccess) or load.kind is not AccessKind.LOAD:
            continue
        if _question(facts, load) is question:
            return load, mark
    return None, None


def _serves_only_stores(facts: ConflictFacts, question: Compare, load: MemoryAccess) -> bool:
    """Whether all that is decided by a comparison is whether a place is stored to."""
    asked: set[Value] = {question}
    branches: set[Block] = set()
    waiting: list[Value] = [question]
    for each in waiting:  # grows while it is gone through
        for user in facts.users.get(each, ()):
            if user.opcode in TERMINATORS:
                branches.add(user.block)
            elif user not in asked and (isinstance(user, Phi) or user.opcode is Opcode.AND):
                asked.add(user)
                waiting.append(user)
            elif user not in asked:
                return False
    decided = facts.flow.decided_by(branches)
    ways = decided | branches
    operations = (each for block in decided for each in block.operations)
    if not all(_only_asks_or_takes(facts, each, load, question) for each in operations):
        return False
    joined = (each for block in facts.flow.blocks for each in block.operations)
    return not any(
        isinstance(each, Phi) and each not in asked and not ways.isdisjoint(each.block.predecessors)
        for each in joined
    )


def _only_asks_or_takes(
    facts: ConflictFacts, operation: Value, load: MemoryAccess, question: Compare
) -> bool:
    if isinstance(operation, MemoryAccess):
        if operation.kind is AccessKind.LOAD:
            return not operation.volatile
        takes = operation.kind is AccessKind.STORE
        there = takes and alike(operation.operands[0], load.operands[0])
        return there and question in _questions_before(facts, operation)
    opcode = getattr(operation, "opcode", None)
    return opcode not in EFFECTS or opcode in TERMINATORS


DOUBT = Doubt(
    "first-come",
    Effect.POSSIBLE,
    "a value is stored only where none stands yet: whichever thread comes first may be meant to",
    _is_taken_by_the_first,
)
