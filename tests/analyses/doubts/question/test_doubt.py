"""Doubts are asked in order, those that are about the kind of conflict, until one holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warplint.analyzer.analyses.conflicts.race_kinds import RaceKind
from warplint.analyzer.analyses.doubts.question.doubt import (
    Doubt,
    Effect,
    all_doubts,
    answers,
    doubts_of,
    first_doubt,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def test_nothing_is_asked_after_the_first_that_holds() -> None:
    asked: list[str] = []

    def question(name: str, *, holds: bool) -> Callable[[None], bool]:
        def ask(_: None) -> bool:
            asked.append(name)
            return holds

        return ask

    doubts = [
        Doubt("not-this", Effect.BENIGN, "no", question("not-this", holds=False)),
        Doubt("this-one", Effect.POSSIBLE, "yes", question("this-one", holds=True)),
        Doubt("nor-that", Effect.POSSIBLE, "yes", question("nor-that", holds=True)),
    ]
    assert [each.name for each in first_doubt(doubts, None)] == ["this-one"]
    assert asked == ["not-this", "this-one"]
    assert [each.name for each in all_doubts(doubts, None)] == ["this-one", "nor-that"]
    assert [each.holds for each in answers(doubts, None)] == [False, True, True]


def test_a_question_about_other_kinds_is_not_asked() -> None:
    doubt: Doubt[None] = Doubt(
        "about-writes", Effect.POSSIBLE, "yes", lambda _: True, frozenset({RaceKind.WRITES})
    )
    assert first_doubt([doubt], None, RaceKind.UPDATE) == ()
    assert first_doubt([doubt], None, RaceKind.WRITES) == (doubt,)


def test_the_first_or_every_one() -> None:
    doubts: list[Doubt[int]] = [
        Doubt("is-even", Effect.BENIGN, "even", lambda number: number % 2 == 0),
        Doubt("is-small", Effect.POSSIBLE, "small", lambda number: number < 10),
    ]
    for number, names in ((2, ["is-even", "is-small"]), (3, ["is-small"]), (11, [])):
        assert [each.name for each in doubts_of(doubts, number, every=True)] == names
        assert [each.name for each in doubts_of(doubts, number, every=False)] == names[:1]
    assert [doubt.is_benign for doubt in doubts] == [True, False]
