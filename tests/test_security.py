"""Behind each promise of SECURITY.md stand tests that exist, named by file and function."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest
from source_tree import ROOT

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PROMISES = re.findall(r"^([0-9]+)\. \*\*(.+?)\*\*((?:.|\n(?!\n|[0-9]+\. ))*)", TEXT, re.MULTILINE)
#: SECURITY.md names it as what looks for the others.
OURS = "tests/test_security.py"


@cache
def functions_of(path: str) -> frozenset[str]:
    """The test functions that a file defines, those of classes too."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    names = (node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return frozenset(name for name in names if name.startswith("test_"))


def test_the_promises_are_numbered() -> None:
    assert [int(number) for number, _, _ in PROMISES] == list(range(1, len(PROMISES) + 1))
    assert len(PROMISES) >= 8


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise[1][:30])
def test_tests_stand_behind_each_promise(promise: tuple[str, str, str]) -> None:
    said, *parts = promise[2].split("\n   - ")
    assert "tests/" not in said
    assert parts
    for part in parts:
        assert re.findall(r"`tests/[^`]+\.py::test_[^`]+`", part), part


@pytest.mark.parametrize("named", sorted(set(re.findall(r"`(tests/[^`]+)`", TEXT)) - {OURS}))
def test_every_test_that_is_named_exists(named: str) -> None:
    path, _, function = named.partition("::")
    assert function in functions_of(path)
