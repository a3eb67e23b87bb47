"""The documents say what the program says, and the tests go through every option."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import click
import pytest
from source_tree import ROOT, loaded

from warplint.analyzer.cli.main import command_line
from warplint.analyzer.config.keys import KEYS

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

HANDWRITTEN = [
    ROOT / "README.md",
    ROOT / "docs" / "use.md",
    *sorted((ROOT / "docs" / "architecture").glob("*.md")),
]
GENERATED = [
    "commands.md",
    "configuration.md",
    "doubts.md",
    "architecture/facts.md",
    "../README.md",
]
ARCHITECTURE = [ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs" / "architecture").glob("*.md"))]
SNIPPETS = [*HANDWRITTEN, ROOT / "action.yml", ROOT / ".pre-commit-hooks.yaml"]


@cache
def generator() -> ModuleType:
    return loaded(ROOT / "docs" / "generate.py")


@cache
def options_of(name: str) -> frozenset[str]:
    """The options of a command, those of its subcommands too."""
    command = command_line.get_command(click.Context(command_line), name)
    assert command is not None
    found = {opt for each in command.params for opt in [*each.opts, *each.secondary_opts]}
    if isinstance(command, click.Group):
        for inner in command.list_commands(click.Context(command)):
            sub = command.get_command(click.Context(command), inner)
            assert sub is not None
            found |= {opt for each in sub.params for opt in each.opts}
    return frozenset(found)


@pytest.mark.parametrize("name", GENERATED)
def test_generated_pages_are_up_to_date(name: str) -> None:
    expected = generator().pages()[name]
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == expected, "run `python docs/generate.py`"


@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.name)
def test_options_in_examples_exist(path: Path) -> None:
    used = re.compile(r"\bwarplint (check|baseline|inspect|occupancy|config)\b([^`;|\n]*)")
    for name, arguments in used.findall(path.read_text(encoding="utf-8")):
        named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", arguments))
        assert named <= options_of(name), arguments


def _tracked() -> list[str]:
    """Every file of the project, from its root."""
    folders = ("analyzer", "rules", "tests", "grammars", "docs", "bench")
    inside = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    return [*folders, *(path.relative_to(ROOT).as_posix() for path in inside)]


@pytest.mark.parametrize("path", ARCHITECTURE, ids=lambda path: path.name)
def test_architecture_pages_name_what_is_there(path: Path) -> None:
    """Every file and folder in backticks ends the path of one."""
    known = _tracked()
    named = re.findall(r"`([\w./]+(?:\.py|/))`", path.read_text(encoding="utf-8"))
    assert named
    missing = [
        each
        for each in named
        if not any(one == each.rstrip("/") or one.endswith("/" + each.rstrip("/")) for one in known)
    ]
    assert missing == []


def test_every_key_is_tested_through_the_command() -> None:
    tests = (ROOT / "tests" / "cli" / "test_configuration.py").read_text(encoding="utf-8")
    tests += (ROOT / "tests" / "cli" / "test_baseline.py").read_text(encoding="utf-8")
    assert [key.name for key in KEYS if f"{key.name} = " not in tests] == []
