"""Data flows one way: no module imports anything downstream of its own room."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from import_order import CIRCLE, FOLDER, INSIDE, ORDER, circles, imports, room, violations
from source_tree import ROOT, module_name, modules, packages

if TYPE_CHECKING:
    from pathlib import Path


def test_no_import_points_backwards() -> None:
    found = [
        str(violation)
        for path in modules()
        for violation in violations(
            module_name(path),
            path.read_text(encoding="utf-8"),
            is_package=path.name == "__init__.py",
        )
    ]
    assert found == []


def test_no_circle_of_imports_is_large() -> None:
    known = {module_name(path) for path in modules() if path.name != "__init__.py"}
    graph: dict[str, set[str]] = {}
    for path in modules():
        name = module_name(path)
        if name in known:
            found = imports(name, path.read_text(encoding="utf-8"), is_package=False)
            named = {imported for _, imported in found}
            graph[name] = (named | {each.rpartition(".")[0] for each in named}) & known
    assert [group for group in circles(graph) if len(group) > CIRCLE] == []


def test_no_folder_holds_too_many_modules() -> None:
    sizes = {name: len(list(path.glob("*.py"))) - 1 for name, path in packages().items()}
    assert {name: size for name, size in sizes.items() if size > FOLDER} == {}


def test_circles_are_found() -> None:
    graph = {
        "a": {"b"},
        "b": {"c"},
        "c": {"a", "d"},
        "d": {"e"},
        "e": set(),
        "f": {"g"},
        "g": {"f"},
    }
    assert circles(graph) == [["a", "b", "c"], ["f", "g"]]


@pytest.mark.parametrize("name", INSIDE)
def test_every_smaller_room_has_a_place_in_the_order(name: str) -> None:
    folder = ROOT.joinpath("analyzer", *name.split("."))
    folders = [path for path in folder.iterdir() if (path / "__init__.py").exists()]
    assert sorted(INSIDE[name]) == sorted(path.name for path in folders)


def test_every_divided_room_has_an_order() -> None:
    rooms = [name.removeprefix("warplint.analyzer.") for name in packages()]
    inner = {name.rpartition(".")[0] for name in rooms if "." in name and "warplint" not in name}
    assert inner == set(INSIDE)


def test_every_room_has_a_place_in_the_order() -> None:
    assert {room(module_name(path)) for path in modules()} - {None} <= set(ORDER)


def test_the_outer_shell_imports_nothing() -> None:
    # It belongs to no room; whoever imports any room runs it.
    source = (ROOT / "analyzer" / "__init__.py").read_text(encoding="utf-8")
    assert list(imports("warplint.analyzer", source, is_package=True)) == []


def test_the_order_is_the_one_that_architecture_md_prints() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert " < ".join(ORDER[1:]) in " ".join(text.split())


@pytest.mark.parametrize("name", INSIDE)
def test_architecture_md_lists_the_smaller_rooms_in_their_order(name: str) -> None:
    """Each with the words of its own package."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    folder = name.replace(".", "/")
    rows = [
        f"| `{folder}/{smaller}/` | {_first_words(ROOT / 'analyzer' / folder / smaller)} |"
        for smaller in INSIDE[name]
    ]
    assert [row for row in rows if row not in text] == []
    places = [text.index(row) for row in rows]
    assert places == sorted(places)


def test_architecture_md_lists_the_families_of_rules() -> None:
    """Each with the words of its own package, and no other."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    folders = [path.parent for path in (ROOT / "rules").glob("[!_]*/__init__.py")]
    rows = {f"| `rules/{path.name}/` | {_first_words(path)} |" for path in folders}
    listed = {line for line in text.splitlines() if line.startswith("| `rules/")}
    assert {
        line for line in listed if "<" not in line and "_shared" not in line and ".py" not in line
    } == rows


def _first_words(package: Path) -> str:
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    return " ".join((ast.get_docstring(tree) or "").split()).removesuffix(".")


@pytest.mark.parametrize(
    "source",
    [
        "from ...rules import load_rules",
        "from ...rules.memory import memory_space_report",
        "from ..analyses.facts import KernelFacts",
        "from .. import analyses",
        "from ... import rules",
        "import warplint.analyzer.cli.main",
        "from warplint.analyzer import report",
        "from warplint.rules import load_rules",
        "if TYPE_CHECKING:\n    from ..findings.finding import Finding",
        "def late():\n    from ..engine.check import check",
    ],
)
def test_a_planted_violation_is_found(source: str) -> None:
    assert len(violations("warplint.analyzer.ptx.reader", source)) == 1


def test_smaller_rooms_have_an_order() -> None:
    module = "warplint.analyzer.analyses.pointers.points_to"
    assert violations(module, "from ..dataflow.slices import backward_slice") == []
    assert len(violations(module, "from ..races.block_races import BlockRaces")) == 1
    assert len(violations(module, "from .. import races")) == 1
    assert len(violations(module, "from ..facts import KernelFacts")) == 1


def test_rooms_inside_of_smaller_rooms_have_an_order() -> None:
    module = "warplint.analyzer.cuda.lowering.types.type_reader"
    assert violations(module, "from ..model import ctypes") == []
    assert violations(module, "from ...syntax.c_ast import c_ast") == []
    assert len(violations(module, "from ..state.context import Context")) == 1
    assert len(violations(module, "from .. import state")) == 1
    assert len(violations(module, "from ...host.walk import HostWalk")) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import json, warplint",
        "from . import syntax",
        "from .syntax import Statement",
        "from ..ir.types import Type",
        "from ..hardware import banks",
        "from ...grammars import read",
        "from warplint.analyzer.source.text import Span",
    ],
)
def test_an_import_from_upstream_is_fine(source: str) -> None:
    assert violations("warplint.analyzer.ptx.reader", source) == []


def test_relative_imports_of_a_package_count_from_itself() -> None:
    source = "from ..analyzer.findings.rule import Rule"
    assert violations("warplint.rules", source, is_package=True) == []
    assert [name for _, name in imports("warplint.rules", source, is_package=True)] == [
        "warplint.analyzer.findings.rule.Rule"
    ]


def test_a_room_without_a_place_is_refused() -> None:
    with pytest.raises(LookupError, match="'basement'"):
        violations("warplint.analyzer.basement.pipes", "")
