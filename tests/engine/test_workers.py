"""Shared work gives what one process would give, whatever becomes of the helpers."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from warplint.analyzer.engine.processes import stopping, workers
from warplint.analyzer.engine.processes.stopping import Stopped
from warplint.analyzer.engine.processes.workers import Task, processors, shared_work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def square(number: int) -> int:
    return number * number


def die_elsewhere(home: int, number: int) -> int:
    if os.getpid() != home:
        os._exit(9)
    return number


def die_once(folder: Path, how: int, number: int) -> int:
    """Every third number takes its first worker with it."""
    mark = folder / str(number)
    if number % 3 == 0 and not mark.exists():
        mark.touch()
        if how:
            os.kill(os.getpid(), how)
        os._exit(1)
    return number


def die_of_five(number: int) -> int:
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def fail_elsewhere(home: int, number: int) -> int:
    if os.getpid() != home:
        raise RuntimeError("only here")
    return number


def lost(number: int, how: str) -> Any:
    return f"{number} {how}"


def work(function: Callable[[int], int], arguments: Sequence[int], jobs: int) -> list[Any]:
    done = shared_work(Task(function, arguments, lost), jobs)
    assert done.stopped == 0
    assert sorted(done.results) == list(range(len(arguments)))
    assert multiprocessing.active_children() == []
    return [done.results[number] for number in range(len(arguments))]


@pytest.mark.parametrize("method", [None, "spawn"])
def test_results_belong_to_their_arguments(
    method: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if method is not None:
        monkeypatch.setattr(workers, "_METHOD", method)
    heard: list[tuple[int, int]] = []
    task = Task(abs, range(-6, 6), divmod)  # another process can import these
    done = shared_work(task, 3, lambda count, total: heard.append((count, total)))
    assert done.results == {number: abs(number - 6) for number in range(12)}
    assert heard == [(count, 12) for count in range(1, 13)]


def test_long_work_is_begun_first() -> None:
    begun: list[int] = []
    task = Task(square, range(6), lost, weight=lambda number: -abs(number - 4))
    pool = workers._Pool(task, lambda number, _: begun.append(number))
    assert list(pool.run(0)) == [4, 3, 5, 2, 1, 0]  # without a process all is still waiting
    assert begun == []


def test_few_arguments_stay_here() -> None:
    assert work(partial(die_elsewhere, os.getpid()), range(7), 4) == list(range(7))


@posix
@pytest.mark.parametrize("how", [0, signal.SIGKILL, signal.SIGTERM])
def test_helpers_that_die_cost_nothing(how: int, tmp_path: Path) -> None:
    assert work(partial(die_once, tmp_path, how), range(30), 3) == list(range(30))


@posix
def test_what_kills_every_helper_is_reported() -> None:
    found = work(die_of_five, range(20), 2)
    assert found == [*range(5), "5 was ended by SIGKILL", *range(6, 20)]
    every = work(partial(die_elsewhere, os.getpid()), range(9), 2)
    assert every == [f"{number} ended with code 9" for number in range(9)]


def test_results_that_cannot_be_handed_over_are_made_here() -> None:
    assert work(partial(fail_elsewhere, os.getpid()), range(9), 2) == list(range(9))


def test_without_processes_all_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object) -> None:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(multiprocessing.context.ForkProcess, "start", refuse)
    monkeypatch.setattr(multiprocessing.process.BaseProcess, "start", refuse)
    assert work(partial(die_elsewhere, os.getpid()), range(20), 4) == list(range(20))


def stop_at_ten(number: int) -> int:
    if number == 10:
        raise Stopped(signal.SIGTERM)
    return number


def test_what_was_done_before_the_end_is_kept() -> None:
    done = shared_work(Task(stop_at_ten, range(20), lost), 1)
    assert done.results == {number: number for number in range(10)}
    assert done.stopped == signal.SIGTERM


def wait_or_square(number: int) -> int:
    if number > 5:
        time.sleep(300)
    return square(number)


@posix
def test_nothing_is_left_of_a_run_that_was_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGALRM)
    monkeypatch.setattr(stopping._Request, "number", 0)
    monkeypatch.setattr(stopping, "_TIME", 1_000)

    def hear(count: int, _: int) -> None:
        if count == 6:
            os.kill(os.getpid(), signal.SIGTERM)

    try:
        stopping.heed_signals()
        done = shared_work(Task(wait_or_square, range(40), lost), 4, hear)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGTERM, before[0])
        signal.signal(signal.SIGALRM, before[1])
    assert done.stopped == signal.SIGTERM
    assert set(done.results) <= set(range(6))
    assert len(done.results) >= 5
    assert multiprocessing.active_children() == []


@posix
def test_a_stop_that_got_lost_is_raised_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping._Request, "number", int(signal.SIGINT))
    done = shared_work(Task(square, range(3), lost), 1)
    assert (done.results, done.stopped) == ({}, signal.SIGINT)


def test_no_more_processes_than_a_machine_can_bear(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Pool:
        def __init__(self, *_: object) -> None:
            pass

        def run(self, helpers: int) -> list[int]:
            asked.append(helpers)
            return []

    monkeypatch.setattr(workers, "_Pool", Pool)
    shared_work(Task(square, range(1_000_000), lost), 100_000)
    assert asked == [256]


def test_there_is_a_processor() -> None:
    assert processors() >= 1
