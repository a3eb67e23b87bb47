"""The GitHub Action runs in a folder that may be a stranger's."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from source_tree import ROOT

if TYPE_CHECKING:
    from pathlib import Path

RUNS = [
    line.strip()
    for step in re.findall(
        r"run: (?:\|\n((?: {8}.*\n?)+)|(.*))", (ROOT / "action.yml").read_text(encoding="utf-8")
    )
    for line in "".join(step).splitlines()
]


def test_python_never_imports_from_the_checkout() -> None:
    started = [shlex.split(line) for line in RUNS if line.startswith("python")]
    assert len(started) == 1
    assert all(words[1] in ("-P", "-I") for words in started)


def test_no_file_name_is_an_option() -> None:
    started = [line for line in RUNS if line.startswith("warplint")]
    assert len(started) == 2
    assert all(line.endswith(" -- $PATHS") for line in started)
    assert all('"$@"' in line for line in started)


def test_arguments_are_no_patterns() -> None:
    setting = "set -f; set -- $ARGUMENTS; set +f"
    assert [line.split()[0] for line in RUNS if line != setting] == ["python", *["warplint"] * 2]
    assert RUNS.count(setting) == 2


@pytest.mark.skipif(shutil.which("bash") is None, reason="the shell of the action is bash")
def test_what_the_shell_makes_of_it(tmp_path: Path) -> None:
    for name in ("a.cu", "b.cu", "--exclude=*.cu"):
        (tmp_path / name).touch()
    program = tmp_path / "bin" / "warplint"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    done = subprocess.run(
        ["bash", "-e", "-c", "\n".join(RUNS[-2:])], cwd=tmp_path, text=True, capture_output=True,
        env={"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
             "ARGUMENTS": "--ignore * --arch sm_80", "PATHS": "*.cu"},
        check=True,
    )  # fmt: skip
    words = ["check", "--ignore", "*", "--arch", "sm_80", "--format", "github", "--"]
    assert done.stdout.splitlines() == [*words, "--exclude=*.cu", "a.cu", "b.cu"]
