"""The tutorial, from its first line to its last: what it changes, and what is printed then."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from click.testing import CliRunner
from source_tree import ROOT

from warplint.analyzer.cli.main import command_line

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

TEXT = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^<!-- (\w+): (.+?) -->\n```\w*\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def edited(text: str, change: str) -> str:
    """The text after a hunk without line numbers; its old lines occur once."""
    lines = change.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if line[0] in " -")
    new = "".join(line[1:] for line in lines if line[0] in " +")
    assert text.count(old) == 1, old
    return text.replace(old, new)


def printed(command: str) -> str:
    program, *arguments = shlex.split(command)
    assert program == "warplint"
    return CliRunner().invoke(command_line, arguments, standalone_mode=False).output


def test_the_tutorial_is_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WARPLINT_CACHE_DIR", str(tmp_path / "cache"))
    for kind, name, text in STEPS:
        match kind:
            case "file":
                (tmp_path / name).write_text(text, encoding="utf-8")
            case "edit":
                before = (tmp_path / name).read_text(encoding="utf-8")
                (tmp_path / name).write_text(edited(before, text), encoding="utf-8")
            case "run":
                assert text.strip() == name
                printed(name)
            case _:
                assert kind == "output"
                assert text.strip() in printed(name), printed(name)


def test_it_goes_from_four_findings_to_none() -> None:
    ends = re.findall(r"^(?:Found (\d) finding|No (f)indings)", TEXT, re.MULTILINE)
    assert [count or "0" for count, _ in ends] == ["4", "3", "2", "1", "0"]
    assert {kind for kind, _, _ in STEPS} == {"file", "edit", "run", "output"}
