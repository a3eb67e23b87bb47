"""What is written for editors agrees with the server."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click

from warplint.analyzer.cli.main import command_line
from warplint.analyzer.server.client import KINDS, options_of
from warplint.analyzer.server.session import Options

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
EXTENSION: dict[str, Any] = json.loads(
    (ROOT / "editors" / "vscode" / "package.json").read_text(encoding="utf-8")
)["contributes"]
PATTERN: dict[str, Any] = EXTENSION["problemMatchers"][0]["pattern"]


def test_the_page_lists_the_settings() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert rows == list(KINDS)


def test_the_extension_has_the_settings() -> None:
    names = [name.removeprefix("warplint.") for name in EXTENSION["configuration"]["properties"]]
    assert names == ["command", *KINDS]
    command = EXTENSION["configuration"]["properties"]["warplint.command"]
    assert command["scope"] == "machine"  # no workspace says what is started


def test_the_defaults_are_those_of_the_server() -> None:
    properties = EXTENSION["configuration"]["properties"]
    defaults = {name: properties[f"warplint.{name}"]["default"] for name in KINDS}
    complaints: list[str] = []
    assert options_of(defaults, complaints.append) == Options()
    assert complaints == []


def test_the_page_and_the_extension_have_one_matcher() -> None:
    block = re.search(r"<!-- matcher: .*?```json\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    (task,) = json.loads(block[1])["tasks"]
    assert task["problemMatcher"]["pattern"] == PATTERN


def test_the_matcher_reads_lines_of_gcc() -> None:
    line = "src/a b.cu:17:19: error: only 16 of 32 threads [x] arrive [SYN001 divergent-barrier]"
    match = re.match(PATTERN["regexp"], line)
    assert match is not None
    found = {name: match[PATTERN[name]] for name in PATTERN if name != "regexp"}
    assert found == {
        "file": "src/a b.cu",
        "line": "17",
        "column": "19",
        "severity": "error",
        "message": "only 16 of 32 threads [x] arrive",
        "code": "SYN001",
    }


def test_every_command_of_the_extension_is_registered() -> None:
    source = (ROOT / "editors" / "vscode" / "src" / "extension.ts").read_text(encoding="utf-8")
    registered = re.findall(r'registerCommand\("([\w.]+)"', source)
    assert sorted(registered) == sorted(each["command"] for each in EXTENSION["commands"])


def test_the_extension_runs_commands_that_exist() -> None:
    source = (ROOT / "editors" / "vscode" / "src" / "views.ts").read_text(encoding="utf-8")
    runs = [re.findall(r'"([^"]+)"', words) for words in re.findall(r"output\(\[(.*?)\]\)", source)]
    assert [words[0] for words in runs] == ["check", "explain"]
    for name, *words in runs:
        command = command_line.get_command(click.Context(command_line), name)
        assert command is not None
        known = {option for each in command.params for option in each.opts}
        assert {word for word in words if word.startswith("--") and word != "--"} <= known
