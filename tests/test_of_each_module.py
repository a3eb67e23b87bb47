"""Tests find their module: an analysis `a/b.py` is tested by `tests/analyses/a/test_b.py`.

Two kinds of modules need no file of their own. A module that decides nothing (values, enums,
protocols, facts that are handed on) has nothing that could be wrong. A doubt has its two kernels
in `tests/data/doubts.csv`, and `tests/analyses/doubts/test_registry.py` looks at both.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from source_tree import ROOT

if TYPE_CHECKING:
    from pathlib import Path

ANALYSES = ROOT / "analyzer" / "analyses"
TESTS = ROOT / "tests" / "analyses"

DECISIONS = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.While,
    ast.Match,
    ast.Compare,
    ast.BoolOp,
    ast.BinOp,
    ast.comprehension,
)


def decides(source: str) -> bool:
    """Whether a function of the module branches, repeats, compares or computes anything."""
    functions = (n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef))
    return any(map(_decides, (statement for each in functions for statement in each.body)))


def _decides(node: ast.AST) -> bool:
    """Whether something is decided in a statement; what types it names does not count."""
    if isinstance(node, DECISIONS):
        return True
    parts = ast.iter_child_nodes(node)
    kept = (part for part in parts if part is not getattr(node, "annotation", None))
    return any(map(_decides, kept))


def is_a_doubt(source: str) -> bool:
    """Whether the module makes a doubt: `DOUBT = Doubt(...)`, or one of `doubts.csv` by type."""
    targets = (
        target
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    )
    return any(isinstance(target, ast.Name) and target.id == "DOUBT" for target in targets)


def modules_to_test() -> list[str]:
    """The modules that need a test file: their paths in `analyses/`, without the ending."""
    paths = (path for path in sorted(ANALYSES.rglob("*.py")) if path.name != "__init__.py")
    return [str(path.relative_to(ANALYSES).with_suffix("")) for path in paths if needs_tests(path)]


def needs_tests(path: Path) -> bool:
    source = path.read_text(encoding="utf-8")
    return decides(source) and not is_a_doubt(source)


def file_for(module: str) -> Path:
    folder, _, name = module.rpartition("/")
    return TESTS / folder / f"test_{name}.py"


@pytest.mark.parametrize("module", modules_to_test())
def test_an_analysis_has_a_test_file_of_its_own(module: str) -> None:
    assert file_for(module).exists(), f"no {file_for(module).relative_to(ROOT)}"


def test_every_test_file_of_a_room_is_named_after_a_module() -> None:
    """What no module is named after tests several together, and stands in no room."""
    rooms = (path for path in TESTS.rglob("test_*.py") if path.parent != TESTS)
    names = [path.relative_to(TESTS).parent / path.name.removeprefix("test_") for path in rooms]
    assert [str(name) for name in names if not (ANALYSES / name).exists()] == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("class Values:\n    first: int | None = None\n", False),
        ("def name(x):\n    found: int | None = x.name\n    return found\n", False),
        ("def more(x):\n    return x + 1\n", True),
        ("def some(xs):\n    return [x for x in xs]\n", True),
        ("def first(x):\n    if x:\n        return 1\n", True),
        ("LIMIT = 3 * 4\n", False),
    ],
)
def test_what_decides_anything(source: str, *, expected: bool) -> None:
    assert decides(source) is expected


def test_doubts_are_told_from_what_they_share() -> None:
    assert is_a_doubt("DOUBT = Doubt('name', None, '', ask)\n")
    assert is_a_doubt("DOUBT: Doubt[None] = Doubt('name', None, '', ask)\n")
    assert not is_a_doubt("def may_be():\n    return DOUBT\n")
