"""Shared work gives what one process would give, whatever becomes of the helpers."""

from __future__ import annotations

import os
from functools import partial

from warplint.analyzer.engine.workers import processors, shared_work


def square(number: int) -> int:
    return number * number


def die_elsewhere(home: int, number: int) -> int:
    if os.getpid() != home:
        os._exit(9)
    return number


def fail_elsewhere(home: int, number: int) -> int:
    if os.getpid() != home:
        raise RuntimeError("only here")
    return number


def test_results_come_in_the_order_of_the_arguments() -> None:
    heard: list[tuple[int, int]] = []
    results = shared_work(square, range(12), 3, lambda done, total: heard.append((done, total)))
    assert results == [number * number for number in range(12)]
    assert heard == [(done, 12) for done in range(1, 13)]


def test_few_arguments_stay_here() -> None:
    assert shared_work(partial(die_elsewhere, os.getpid()), range(7), 4) == list(range(7))


def test_helpers_that_die_cost_nothing() -> None:
    assert shared_work(partial(die_elsewhere, os.getpid()), range(9), 2) == list(range(9))


def test_results_that_cannot_be_handed_over_are_made_here() -> None:
    assert shared_work(partial(fail_elsewhere, os.getpid()), range(9), 2) == list(range(9))


def test_there_is_a_processor() -> None:
    assert processors() >= 1
