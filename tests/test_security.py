"""Behind each promise of SECURITY.md stands a test, and no run starts what it does not name."""

from __future__ import annotations

import re

import pytest
from source_tree import ROOT

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PROMISES = re.findall(r"^([0-9]+)\. \*\*(.+?)\*\*((?:.|\n(?!\n|[0-9]+\. ))*)", TEXT, re.MULTILINE)


def test_the_promises_are_numbered() -> None:
    assert [int(number) for number, _, _ in PROMISES] == list(range(1, len(PROMISES) + 1))
    assert len(PROMISES) >= 7


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise[1][:30])
def test_a_test_stands_behind_each_promise(promise: tuple[str, str, str]) -> None:
    named = re.findall(r"`(tests/[^`]+\.py)`", promise[2])
    assert named
    for name in named:
        assert "def test_" in (ROOT / name).read_text(encoding="utf-8"), name
