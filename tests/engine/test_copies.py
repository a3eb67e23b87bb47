"""Copies give what one process would give, whatever becomes of them."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from warplint.analyzer.engine.processes.copies import work_of_copies

MANY = range(100)


@pytest.fixture(autouse=True)
def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the test runner have nothing to do with what is copied."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)


@pytest.mark.parametrize("jobs", [1, 2, 3, 8])
def test_results_come_in_the_order_of_the_arguments(jobs: int) -> None:
    offset = object()  # cannot be handed over, and need not be
    results = work_of_copies(lambda number: (number, id(offset)), MANY, jobs)
    assert results == [(number, id(offset)) for number in MANY]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are not copied elsewhere")
def test_many_arguments_are_shared() -> None:
    processes = work_of_copies(lambda _: os.getpid(), MANY, 3)
    assert len(set(processes)) == 3
    assert processes[0] == os.getpid()


def test_few_arguments_stay_here() -> None:
    assert {*work_of_copies(lambda _: os.getpid(), range(47), 4)} == {os.getpid()}


def test_copies_that_die_cost_nothing() -> None:
    home = os.getpid()

    def die_elsewhere(number: int) -> int:
        if os.getpid() != home:
            os._exit(9)
        return number

    assert work_of_copies(die_elsewhere, MANY, 2) == [*MANY]


def test_results_that_cannot_be_handed_over_are_made_here() -> None:
    results = work_of_copies(lambda number: lambda: number, MANY, 2)
    assert [result() for result in results] == [*MANY]


def test_an_error_is_the_callers_and_ends_all_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    copies: list[int] = []
    fork = os.fork

    def copied() -> int:
        copies.append(fork())
        return copies[-1]

    def fail(number: int) -> int:
        raise ValueError(number)

    monkeypatch.setattr(os, "fork", copied)
    with pytest.raises(ValueError, match="0"):
        work_of_copies(fail, MANY, 2)
    (copy,) = copies
    with pytest.raises(ChildProcessError):
        os.waitpid(copy, os.WNOHANG)
