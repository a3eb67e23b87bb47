"""Tests find their module: an analysis `a/b.py` is tested by `tests/analyses/a/test_b.py`.

Two kinds of modules need no file of their own. A module that decides nothing (values, enums,
protocols, facts that are handed on) has nothing that could be wrong. A doubt has its two kernels
in `tests/data/doubts.csv`, and `tests/analyses/doubts/test_registry.py` looks at both.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

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
    return any(
        isinstance(node, DECISIONS)
        for function in functions
        for statement in function.body
        for node in ast.walk(statement)
    )


def is_a_doubt(source: str) -> bool:
    """Whether the module makes a doubt: `DOUBT = Doubt(...)`, or one of `doubts.csv` by type."""
    targets = (
        target
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    )
    return any(isinstance(target, ast.Name) and target.id == "DOUBT" for target in targets)


def tested_modules() -> list[str]:
    """The modules that need a test file: their paths in `analyses/`, without the ending."""
    paths = (path for path in sorted(ANALYSES.rglob("*.py")) if path.name != "__init__.py")
    return [str(path.relative_to(ANALYSES).with_suffix("")) for path in paths if needs_tests(path)]


def needs_tests(path: Path) -> bool:
    source = path.read_text(encoding="utf-8")
    return decides(source) and not is_a_doubt(source)


def file_for(module: str) -> Path:
    folder, _, name = module.rpartition("/")
    return TESTS / folder / f"test_{name}.py"
