"""The worked example of CONTRIBUTING.md is a rule that works, with fixtures that pass."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest
from documents import marked_blocks
from fixture_runner import complaints

from warplint.analyzer.findings.rule import PAGE_SECTIONS
from warplint.rules import load_rules, rule_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from warplint.analyzer.findings.rule import Rule

FILES = marked_blocks("CONTRIBUTING.md", "file")
(RULE_FILE,) = [name for name in FILES if name.endswith(".py")]
FIXTURES = [name for name in FILES if not name.endswith(".py")]


@pytest.fixture
def rule(tmp_path: Path) -> Iterator[Rule]:
    """The example, loaded under the name it would have in the package."""
    path = tmp_path / PurePosixPath(RULE_FILE).name
    path.write_text(FILES[RULE_FILE], encoding="utf-8")
    name = "warplint." + RULE_FILE.removesuffix(".py").replace("/", ".")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        yield rule_of(module)
    finally:
        del sys.modules[name]


def test_the_example_is_a_complete_rule(rule: Rule) -> None:
    assert tuple(rule.sections) == PAGE_SECTIONS
    assert rule.code not in load_rules()
    assert PurePosixPath(RULE_FILE).stem == rule.name.replace("-", "_")


@pytest.mark.parametrize("name", FIXTURES)
def test_the_fixtures_of_the_example_pass(name: str, rule: Rule, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(FILES[name], encoding="utf-8")
    assert f"expect: {rule.code}" in FILES[name]
    assert complaints(path, {**load_rules(), rule.code: rule}) == []


def test_there_is_a_fixture_for_each_input() -> None:
    assert sorted(PurePosixPath(name).suffix for name in FIXTURES) == [".cu", ".ptx"]
