"""A doubt: a named reason not to report two threads in conflict, or to call that only possible.

A conflict is a fact; whether it does harm is not always known. Each doubt stands in a file of its
own, with its question and the sentence that users read; `registry.py` says in which order they are
asked, and `ask` asks. In: a candidate. Out: the doubts that it has. The order is that of cost, the
benign ones first: by default the first doubt decides and nothing else is asked.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Generic, Never, TypeVar

from ....source.records import dataclass
from ...conflicts.race_kinds import RaceKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

C = TypeVar("C", contravariant=True)

EVERY = frozenset(RaceKind)


class Effect(Enum):
    """What a doubt does to a conflict: silence it, or make it only possible."""

    BENIGN = "benign"  # it does no harm: not reported
    POSSIBLE = "possible"  # it may be a false alarm: only possible


@dataclass(frozen=True, slots=True)
class Doubt(Generic[C]):
    """A named reason not to report a candidate, and the question whether it has it."""

    name: str  # in kebab-case; it stays
    effect: Effect
    reason: str  # a sentence for users, in lower case, without a full stop
    question: Callable[[C], bool]
    about: frozenset[RaceKind] = EVERY  # what it is asked of, where races are judged
    names_headers: bool = False  # whether the headers that were not found belong to the reason

    @property
    def is_benign(self) -> bool:
        """Whether what it is about is not reported at all."""
        return self.effect is Effect.BENIGN


#: A doubt that nobody asks any more.
AnyDoubt = Doubt[Never]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a doubt's question: whether it holds."""

    doubt: AnyDoubt
    holds: bool


def answers(
    doubts: Sequence[Doubt[C]], candidate: C, kind: RaceKind | None = None
) -> Iterator[Answer]:
    """The answers to all doubts about this kind of conflict, each asked when its turn comes."""
    for doubt in doubts:
        if kind is None or kind in doubt.about:
            yield Answer(doubt, doubt.question(candidate))


def doubts_of(doubts: Sequence[Doubt[C]], candidate: C, *, every: bool) -> tuple[AnyDoubt, ...]:
    """The first doubt that holds for a candidate, or every one."""
    return (all_doubts if every else first_doubt)(doubts, candidate)


def first_doubt(
    doubts: Sequence[Doubt[C]], candidate: C, kind: RaceKind | None = None
) -> tuple[AnyDoubt, ...]:
    """The first doubt that holds for a candidate, or none; what comes after it is not asked."""
    found = (each.doubt for each in answers(doubts, candidate, kind) if each.holds)
    first = next(found, None)
    return () if first is None else (first,)


def all_doubts(doubts: Sequence[Doubt[C]], candidate: C) -> tuple[AnyDoubt, ...]:
    """All doubts that hold for a candidate, in order."""
    return tuple(each.doubt for each in answers(doubts, candidate) if each.holds)
