"""What a stranger's workspace says to the server: settings, configuration, names of documents."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from warplint.analyzer.server.client import options_of, path_of
from warplint.analyzer.server.session import Options

from .editor import Editor
from .test_server import TILE, codes

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("seen", "seen"),
        ("seen\nint stolen;", "seen int stolen;"),
        ("seen\r#define if while", "seen #define if while"),
        ("a\u2028b\0c\x1b[31m", "a b c [31m"),
        ("goes on \\", "goes on"),
        ("goes on \\ \\\\", "goes on"),
    ],
)
def test_a_reason_is_the_end_of_one_comment(said: str, reason: str) -> None:
    assert options_of({"suppressionReason": said}, pytest.fail).reason == reason


def test_checks_are_not_put_off_for_good() -> None:
    for number in (10**400, 10**9):
        assert options_of({"debounce": number}, pytest.fail).debounce == 10.0
    assert options_of({"debounce": -5}, pytest.fail).debounce == 0


@pytest.mark.parametrize("url", ["command:workbench.x", "file:///etc/passwd", "javascript:1", "x:"])
def test_pages_of_rules_are_on_the_web(url: str) -> None:
    warned: list[str] = []
    assert options_of({"ruleUrl": url}, warned.append).rule_url == Options().rule_url
    assert "ruleUrl" in warned[0]
    assert options_of({"ruleUrl": "https://a/{code}"}, pytest.fail).rule_url == "https://a/{code}"


@pytest.mark.parametrize("uri", ["file://[", "file:///a%00b", "untitled:x", "", ":", "http://x/y"])
def test_what_is_no_file_has_no_path(uri: str) -> None:
    assert path_of(uri) is None


COMMANDS = json.dumps(
    [{"directory": "/", "file": "t.cu", "command": "nvcc -include /dev/zero @/dev/zero -c t.cu"}]
)
#: Files of a folder, and what the document in it says, besides SHM001, or instead of it.
WORKSPACES: dict[str, tuple[dict[str, str], str]] = {
    "endless": ({"warplint.toml": "-> /dev/zero"}, ""),
    "fifo": ({"warplint.toml": "fifo", "compile_commands.json": "fifo"}, ""),
    "standard-input": ({"warplint.toml": "-> /dev/stdin", "pyproject.toml": "-> /dev/stdin"}, ""),
    "foreign": ({"warplint.toml": "-> /etc/passwd"}, "not TOML"),
    "extends": ({"warplint.toml": 'extend = "/dev/zero"'}, "not a regular file"),
    "cycle": ({"warplint.toml": 'extend = "warplint.toml"'}, "forms a cycle"),
    "baseline": ({"warplint.toml": 'baseline = "/dev/zero"'}, "not a regular file"),
    "deep": ({"warplint.toml": 'baseline = "b"', "b": "[" * 200_000}, "not JSON"),
    "digits": ({"warplint.toml": f"arch = {'9' * 6000}"}, "not TOML"),
    "commands": ({"compile_commands.json": COMMANDS}, ""),
    "work": ({"warplint.toml": "kernel-size = 999999999"}, "is too large"),
    "processes": ({"warplint.toml": "jobs = 100000"}, "is too large"),
    "folders": ({"warplint.toml": f"include-paths = {[f'd{i}' for i in range(20_000)]}"}, ""),
    "python": ({"warplint.toml": 'rule-folders = ["."]', "own.py": "exit(77)"}, "runs no code"),
}


@pytest.mark.skipif(os.name != "posix", reason="links, fifos and devices")
@pytest.mark.parametrize("name", WORKSPACES)
def test_no_workspace_ends_or_holds_the_server(editor: Editor, name: str) -> None:
    files, said = WORKSPACES[name]
    folder = editor.root / name
    folder.mkdir()
    for file, text in files.items():
        if text == "fifo":
            os.mkfifo(folder / file)
        elif text.startswith("-> "):
            (folder / file).symlink_to(text[3:])
        else:
            (folder / file).write_text(text, encoding="utf-8")
    headers = "".join(f'#include "h{i}.h"\n' for i in range(300))
    editor.open(f"{name}/t.cu", headers + TILE)
    rows = editor.diagnostics(f"{name}/t.cu")
    editor.tell("textDocument/didClose", {"textDocument": {"uri": editor.uri(f"{name}/t.cu")}})
    assert any(said in row["message"] for row in rows)
    refused = bool(said) and said != "runs no code"
    assert ("SHM001" in codes(rows)) is not refused
    assert {each.name for each in folder.iterdir()} == {*files}


def test_settings_that_are_anything(tmp_path: Path) -> None:
    hostile: dict[str, Any] = {
        "debounce": 10**400,
        "ruleUrl": "command:x",
        "suppressionReason": "x\nint stolen;",
        "configuration": {"jobs": [], "extend": "/dev/zero", "nested": [[[{}]]]},
        "command": ["touch", "ran"],
    }
    own = Editor(tmp_path, **hostile)
    own.open("t.cu", TILE)
    assert own.told("textDocument/publishDiagnostics")["uri"] == own.uri("t.cu")
    (action,) = [
        each for each in own.actions("t.cu", 5) if each["title"] == "Suppress SHM001 in this file"
    ]
    ((edit,),) = action["edit"]["changes"].values()
    assert edit["newText"] == "// warplint: ignore-file[SHM001] x int stolen;\n"
    assert own.end() == 0
    assert not (tmp_path / "ran").exists()
