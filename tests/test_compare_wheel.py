"""The comparison of wheel and tree in `.ci/` finds what is missing and what is too much."""

from __future__ import annotations

import runpy
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from source_tree import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT: dict[str, Any] = runpy.run_path(str(ROOT / ".ci" / "compare_wheel.py"))
ROOT_FILES = ("__init__.py", "__main__.py", "py.typed")
FILES = (*ROOT_FILES, "analyzer/__init__.py", "grammars/cuda.lark", "rules/x/y.py")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in (*FILES, "analyzer/__pycache__/x.pyc", "tests/test_x.py"):
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path / "tree"


def wheel(folder: Path, names: tuple[str, ...]) -> Path:
    path = folder / "warplint-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(f"warplint/{name}", "")
        archive.writestr("warplint-1.0.dist-info/METADATA", "")
    return path


def test_a_complete_wheel(tree: Path, tmp_path: Path) -> None:
    assert SCRIPT["main"](str(wheel(tmp_path, FILES)), str(tree)) == 0


@pytest.mark.parametrize("forgotten", FILES)
def test_a_forgotten_file(
    forgotten: str, tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rest = tuple(name for name in FILES if name != forgotten)
    assert SCRIPT["main"](str(wheel(tmp_path, rest)), str(tree)) == 1
    assert f"missing from the wheel: warplint/{forgotten}\n" in capsys.readouterr().out


def test_a_file_too_many(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stale = wheel(tmp_path, (*FILES, "rules/x/deleted.py"))
    assert SCRIPT["main"](str(stale), str(tree)) == 1
    assert "only in the wheel: warplint/rules/x/deleted.py\n" in capsys.readouterr().out
