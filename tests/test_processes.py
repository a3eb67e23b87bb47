"""Who may start processes, and how: everything else would have to be looked at one by one."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from source_tree import ROOT, modules

from warplint.analyzer.source.programs import (
    find_program,
    keep_current_folder_out,
    python_command,
)

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

#: The modules that start processes, and what they start.
STARTERS = {
    "analyzer/cli/check/watching.py": "Python, without the current folder",
    "analyzer/engine/processes/copies.py": "copies of this process",
    "analyzer/engine/git/repository.py": "git",
    "analyzer/engine/processes/workers.py": "copies of this process",
    "analyzer/fleet/fetching.py": "git",
    "analyzer/fleet/survey.py": "Python, without the current folder",
    "analyzer/measurements/profile_file.py": "ncu",
    "analyzer/resources/ptxas_run.py": "ptxas and nvcc",
    "analyzer/server/analyst.py": "Python, without the current folder",
    "analyzer/server/serving.py": "nothing: it waits with `asyncio`",
    "analyzer/server/session.py": "nothing: it waits with `asyncio`",
}
MODULES = {"subprocess", "multiprocessing", "concurrent", "pty", "asyncio"}
CALLS = {"system", "popen", "fork", "forkpty", "posix_spawn", "startfile"}


def starts_processes(path: Path) -> bool:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            called = node.attr in CALLS or node.attr.startswith(("exec", "spawn"))
            names = ["subprocess"] if node.value.id == "os" and called else []
        else:
            names = []
        if any(name.partition(".")[0] in MODULES for name in names):
            return True
    return False


def test_processes_are_started_in_few_places() -> None:
    found = {path.relative_to(ROOT).as_posix() for path in modules() if starts_processes(path)}
    assert found == set(STARTERS)


def test_programs_are_looked_for_in_absolute_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n", encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for path in ("", ".", os.pathsep, "x:.", "../" + tmp_path.name):
        monkeypatch.setenv("PATH", path)
        assert find_program("tool") is None
    monkeypatch.setenv("PATH", os.pathsep.join([".", str(tmp_path)]))
    assert find_program("tool") == str(tool)
    assert find_program("other") is None


def test_python_gets_nothing_of_the_current_folder() -> None:
    command = python_command("pass")
    assert command[0] == sys.executable
    assert "-P" in command[1 : command.index("-c")]


def test_the_current_folder_is_taken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other").mkdir()
    os.symlink(tmp_path, tmp_path / "link")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    given = ["", str(tmp_path), str(tmp_path / "link"), "other", str(ROOT)]
    monkeypatch.setattr(sys, "path", list(given))
    keep_current_folder_out()
    assert sys.path == [str(ROOT)]
    assert os.environ["PYTHONSAFEPATH"] == "1"


def test_the_module_runs_nothing_of_the_current_folder(tmp_path: Path) -> None:
    for name in ("click", "lark", "tomllib", "shutil"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')\n", encoding="utf-8")
    (tmp_path / "a.cu").write_text("__global__ void k() {}\n", encoding="utf-8")
    command = [sys.executable, "-m", "warplint", "check", "a.cu"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith("No findings.")
