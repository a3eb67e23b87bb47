"""Marks that the thread whose number they are takes away: everybody else decides alike.

In: two threads of a block, one of which reads a place only to ask whether its own number stands
there, and another one that has found its number there and stores a constant. Out: whether that is
no thread's number: `if (owner == threadIdx.x) owner = -1;` is false for all others, whether they
read the old number or the new one. Not handled: numbers of threads that are computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import EQUALITIES, AccessKind, Compare, Convert, Opcode, unconverted
from ....ir.values import Constant, SpecialRegister
from ...dataflow.value_numbering import alike
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....ir.operations import MemoryAccess
    from ....ir.values import Value
    from ...block_execution.access_events import ThreadAccess
    from ...conflicts.facts import ConflictFacts
    from ..question.candidates import BlockCandidate


def _takes_its_own(candidate: BlockCandidate) -> bool:
    first, second = candidate.first, candidate.second
    return _decides_alike(candidate, first, second) or _decides_alike(candidate, second, first)


def _decides_alike(candidate: BlockCandidate, read: ThreadAccess, write: ThreadAccess) -> bool:
    """Whether the reader finds its own number neither before a store nor after it."""
    load, store = read.access, write.access
    if (load.kind, store.kind) != (AccessKind.LOAD, AccessKind.STORE):
        return False
    left = unconverted(store.operands[1])
    if not isinstance(left, Constant) or left.value in range(candidate.launch.threads):
        return False
    if not alike(load.operands[0], store.operands[0]):
        return False
    compared = _own_number(candidate.facts, load)
    if compared is None:
        return False
    question, register = compared
    ours, theirs = (candidate.index_of(each).get(register.register) for each in (read, write))
    if ours is None or ours == theirs:
        return False
    return any(
        edge.condition == (question, question.opcode is Opcode.EQ)
        for edge in candidate.facts.flow.controlling_edges(store.block)
    )


def _own_number(facts: ConflictFacts, load: MemoryAccess) -> tuple[Compare, SpecialRegister] | None:
    """The one comparison that a load serves, with the number of the thread in it."""
    users = list(_users(facts, load))
    if len(users) != 1:
        return None
    (question,) = users
    if not isinstance(question, Compare) or question.opcode not in EQUALITIES:
        return None
    others = [each for each in map(unconverted, question.operands) if each is not load]
    if len(others) != 1 or not isinstance(others[0], SpecialRegister):
        return None
    return question, others[0]


def _users(facts: ConflictFacts, value: Value) -> Iterator[Value]:
    """What takes a value, through changes of type."""
    for each in facts.users.get(value, ()):
        if isinstance(each, Convert):
            yield from _users(facts, each)
        else:
            yield each


DOUBT = Doubt(
    "mark-of-another",
    Effect.BENIGN,
    "the thread that reads looks for its own number, and the place holds another one all the time",
    _takes_its_own,
)
