"""The part of the house style that a machine can check; CONTRIBUTING.md has the rest."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest
from source_tree import ROOT, module_name, modules

if TYPE_CHECKING:
    from pathlib import Path

MAX_MODULE_LINES = 450
MAX_FUNCTION_LINES = 60
MAX_PARAMETERS = 5

TESTS = sorted(path for path in (ROOT / "tests").rglob("*.py") if "fixtures" not in path.parts)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(path: Path) -> list[Function]:
    """Every function of a file, methods and inner ones too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


@pytest.mark.parametrize("path", modules(), ids=module_name)
def test_a_module_is_explained_and_of_readable_size(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), "the module has no docstring"
    assert text.count("\n") <= MAX_MODULE_LINES


@pytest.mark.parametrize("path", modules(), ids=module_name)
def test_functions_are_of_readable_size(path: Path) -> None:
    too_long = [
        function.name
        for function in functions(path)
        if (function.end_lineno or 0) - function.lineno >= MAX_FUNCTION_LINES
    ]
    assert too_long == []
    too_wide = [
        function.name
        for function in functions(path)
        if function.name != "__init__"
        and sum(each.arg not in ("self", "cls") for each in function.args.args) > MAX_PARAMETERS
    ]
    assert too_wide == []


@pytest.mark.parametrize("path", [*modules(), *TESTS], ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_is_left_for_later(path: Path) -> None:
    # Put together here, so that this file passes its own test.
    later = re.compile("|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X\\b")))
    assert [
        line for line in path.read_text(encoding="utf-8").splitlines() if later.search(line)
    ] == []


@pytest.mark.parametrize("path", TESTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_assertion_is_always_true(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            constant = isinstance(node.test, ast.Constant | ast.Tuple)
            assert not constant, f"line {node.lineno} asserts a constant"


@pytest.mark.parametrize("path", TESTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_test_can_fail(path: Path) -> None:
    idle = [
        function.name
        for function in functions(path)
        if function.name.startswith("test_") and not checks_something(function)
    ]
    assert idle == []


def checks_something(function: Function) -> bool:
    """Whether a test asserts, expects an exception, or calls a helper that may."""
    return any(
        isinstance(node, ast.Assert | ast.Raise | ast.Call)
        for statement in function.body
        for node in ast.walk(statement)
    )
