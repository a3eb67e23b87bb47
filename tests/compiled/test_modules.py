"""What is compiled is named in one list, and can be."""

from __future__ import annotations

import ast
import importlib
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from source_tree import ROOT, modules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LIST: dict[str, Any] = tomllib.loads((ROOT / "compiled" / "modules.toml").read_text())


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT)
    return importlib.import_module("compiled.build")


def test_rooms_and_modules_exist() -> None:
    assert [room for room in LIST["rooms"] if not (ROOT / room).is_dir()] == []
    assert set(LIST["opened"]) <= set(LIST["rooms"])
    for group in LIST["left"]:
        assert group["reason"]
        for path in group["modules"]:
            assert (ROOT / path).is_file()
            assert path.rpartition("/")[0] in LIST["rooms"], f"{path} is in no room of the list"


def test_what_is_left_out_is_not_chosen(build: Any) -> None:
    left = {path for group in LIST["left"] for path in group["modules"]}
    chosen = build.chosen()
    assert not left & set(chosen)
    assert "analyzer/analyses/warp_evaluation/warp_evaluator.py" in chosen
    assert len(chosen) == len(set(chosen)) > 100


def test_nothing_chosen_keeps_what_was_found_in_its_dictionary(build: Any) -> None:
    """A compiled object has none."""
    held = [path for path in build.chosen() if "cached_property" in _text(path)]
    assert held == [], "name it in compiled/modules.toml, [[left]]"


def test_records_can_be_written_out(build: Any) -> None:
    for path in build.chosen():
        ast.parse(build.written_out(_text(path), opened=True))


def test_no_generator_is_asked_what_is_in_it(build: Any) -> None:
    """A generator of mypyc knows no `in`."""
    trees = {path: ast.parse(_text(path)) for path in build.chosen()}
    made = {each.name for tree in trees.values() for each in _generators(tree)}
    asked = [
        f"{path}:{node.lineno}"
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and isinstance(node.ops[-1], ast.In | ast.NotIn)
        if isinstance(node.comparators[-1], ast.Call)
        and isinstance(node.comparators[-1].func, ast.Name)
        and node.comparators[-1].func.id in made
    ]
    assert asked == []


def test_no_tuple_is_known_by_its_identity(build: Any) -> None:
    """Of a tuple of known length mypyc keeps the items alone."""
    trees = {path: ast.parse(_text(path)) for path in build.chosen()}
    tuples = set().union(*(_tuples(path) for path in modules()))
    tuples = {name for name in tuples if not name.startswith("_")}
    assert "BLOCK_INDEX" in tuples
    asked = [
        f"{path}:{node.lineno}"
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and isinstance(node.ops[-1], ast.Is | ast.IsNot)
        if isinstance(node.comparators[-1], ast.Name)
        and node.comparators[-1].id in tuples | _tuples(ROOT / path)
    ]
    assert asked == []


def test_python_inherits_only_from_opened_classes(build: Any) -> None:
    chosen = set(build.chosen())
    closed = {
        made.name
        for path in chosen
        if path.rpartition("/")[0] not in LIST["opened"]
        for made in ast.parse(_text(path)).body
        if isinstance(made, ast.ClassDef) and not made.name.startswith("_")
    }
    heirs = []
    for path in modules():
        name = path.relative_to(ROOT).as_posix()
        if name in chosen:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        own = {made.name for made in tree.body if isinstance(made, ast.ClassDef)}
        imported = {
            each.asname or each.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and "analyses" in f"{name}{node.module}"
            for each in node.names
        }
        heirs += [
            f"{name}: {made.name}"
            for made in ast.walk(tree)
            if isinstance(made, ast.ClassDef)
            for base in made.bases
            if isinstance(base, ast.Name) and base.id in (closed & imported) - own
        ]
    assert heirs == []


def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _generators(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for each in tree.body:
        if isinstance(each, ast.FunctionDef):
            inside = (node for part in each.body for node in ast.walk(part))
            if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in inside):
                yield each


def _tuples(path: Path) -> set[str]:
    """The names of a module for tuples of known length."""
    return {
        target.id
        for each in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Tuple)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
