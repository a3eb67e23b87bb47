"""Progress is for terminals, for long runs, and leaves nothing behind."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

from warplint.analyzer.cli.shared import progress as module
from warplint.analyzer.cli.shared.progress import Progress, progress
from warplint.analyzer.engine.processes.workers import Task, shared_work

if TYPE_CHECKING:
    import pytest


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(seconds_for_each: float, files: int) -> str:
    stream, now = Terminal(), [0.0]
    report = Progress(stream, lambda: now[0])

    def work(number: int) -> int:
        now[0] += seconds_for_each
        return number

    assert shared_work(Task(work, range(files), divmod), 1, report).results == {
        number: number for number in range(files)
    }
    return stream.getvalue()


def test_short_runs_show_nothing() -> None:
    assert shown(0.3, 3) == ""


def test_long_runs_say_how_far_they_are_and_clean_up() -> None:
    text = shown(0.4, 5)
    assert text == "\r\x1b[Kchecked 3 of 5 files\r\x1b[Kchecked 4 of 5 files\r\x1b[K"


def test_updates_are_few() -> None:
    assert shown(0.01, 200).count("checked") <= 11


def test_only_on_a_terminal_and_not_under_pre_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRE_COMMIT", raising=False)
    monkeypatch.setattr(module.sys, "stderr", Terminal())
    assert progress() is not None
    monkeypatch.setitem(os.environ, "PRE_COMMIT", "1")
    assert progress() is None
    monkeypatch.delenv("PRE_COMMIT")
    monkeypatch.setattr(module.sys, "stderr", io.StringIO())
    assert progress() is None


def test_a_terminal_that_is_gone_costs_nothing() -> None:
    class Gone(Terminal):
        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    report = Progress(Gone(), iter(range(100)).__next__)
    for done in range(1, 6):
        report(done, 5)
    assert report._next == float("inf")
