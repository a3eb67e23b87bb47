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

TEXT = (ROOT / "action.yml").read_text(encoding="utf-8")
STEPS = ["".join(step) for step in re.findall(r"run: (?:\|\n((?: {8}.*\n?)+)|(.*))", TEXT)]
RUNS = [line.strip() for step in STEPS for line in step.splitlines()]

needs_bash = pytest.mark.skipif(
    shutil.which("bash") is None, reason="the shell of the action is bash"
)


def test_python_never_imports_from_the_checkout() -> None:
    started = [shlex.split(line) for line in RUNS if re.match(r'"\$(PYTHON|folder/python)"', line)]
    assert len(started) == 2
    assert all(words[1] in ("-P", "-I") for words in started)


def test_no_file_name_is_an_option() -> None:
    started = [line for line in RUNS if line.startswith('"$PROGRAM"')]
    assert len(started) == 3
    end = r' -- \$PATHS( >> "\$GITHUB_STEP_SUMMARY")?( \|\| \[ \$\? -eq 3 \])?$'
    assert all(re.search(end, line) for line in started)
    assert all('"$@"' in line for line in started)


def test_arguments_are_no_patterns() -> None:
    setting = "set -f; set -- $ARGUMENTS; set +f"
    each = [line.split()[0] for line in RUNS[RUNS.index(setting) :] if line[0] != "#"]
    assert each == ["set", "case", '"$PROGRAM"'] * 3
    assert RUNS.count(setting) == 3


def test_actions_of_others_are_pinned() -> None:
    used = re.findall(r"uses: (\S+)", TEXT)
    assert len(used) == 3
    assert all(re.fullmatch(r"[\w-]+(/[\w-]+)+@[0-9a-f]{40}", name) for name in used)


def run_step(folder: Path, program: str, paths: str, step: int) -> subprocess.CompletedProcess[str]:
    """Run one of the steps that check, with a shell script in the place of warplint."""
    script = folder / "bin" / "warplint"
    script.parent.mkdir()
    script.write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
    script.chmod(0o755)
    steps = [lines for lines in STEPS if "$PROGRAM" in lines]
    return subprocess.run(
        ["bash", "-e", "-c", steps[step]], cwd=folder, text=True, capture_output=True, check=False,
        env={"PATH": os.environ["PATH"], "PROGRAM": str(script), "PATHS": paths,
             "SARIF": "out.sarif", "GITHUB_STEP_SUMMARY": str(folder / "summary"),
             "ARGUMENTS": "--ignore * --arch sm_80"},
    )  # fmt: skip


WORDS = 'printf "%s\\n" "$@"'


@needs_bash
def test_what_the_shell_makes_of_it(tmp_path: Path) -> None:
    for name in ("a.cu", "b.cu", "--exclude=*.cu"):
        (tmp_path / name).touch()
    done = run_step(tmp_path, WORDS, "*.cu", -1)
    words = ["check", "--ignore", "*", "--arch", "sm_80", "--format", "github", "--"]
    assert done.stdout.splitlines() == [*words, "--exclude=*.cu", "a.cu", "b.cu"]


@needs_bash
def test_names_with_blanks_stand_on_lines_of_their_own(tmp_path: Path) -> None:
    done = run_step(tmp_path, WORDS, "my kernels\nsrc", -1)
    assert done.stdout.splitlines()[-2:] == ["my kernels", "src"]
    one = run_step(tmp_path / "bin", WORDS, "a b", -1)
    assert one.stdout.splitlines()[-2:] == ["a", "b"]


@needs_bash
@pytest.mark.parametrize(("code", "ends"), [(0, 0), (3, 0), (2, 1), (130, 1)])
@pytest.mark.parametrize("step", [0, 1])
def test_reports_are_written_where_inputs_cannot_be_read(
    tmp_path: Path, step: int, code: int, ends: int
) -> None:
    assert run_step(tmp_path, f"exit {code}", ".", step).returncode == ends


def test_no_expression_stands_in_a_script() -> None:
    assert len(STEPS) == 4
    assert not [step for step in STEPS if "${{" in step]
    assert not [word for step in STEPS for word in ("eval", "`", "bash -c") if word in step]


@needs_bash
@pytest.mark.parametrize(
    "hostile",
    [
        "$(touch ran)",
        "`touch ran`",
        "a; touch ran",
        "a && touch ran #",
        "a\ntouch ran\n",
        "${IFS}touch${IFS}ran",
        "${{ github.token }}",
        "> ran",
        "--output=ran",
        "\\",
        "'\"",
        "~root",
    ],
)
@pytest.mark.parametrize("step", [0, 1, 2])
def test_no_word_of_an_input_is_read_by_the_shell(tmp_path: Path, hostile: str, step: int) -> None:
    folder = tmp_path / "checkout"
    folder.mkdir()
    done = run_step(folder, f'{WORDS} >> "$0.words"', hostile, step)
    assert done.returncode == 0, done.stderr
    assert {each.name for each in folder.iterdir()} <= {"bin", "summary"}
    words = (folder / "bin" / "warplint.words").read_text(encoding="utf-8").splitlines()
    given = words[words.index("--") + 1 :]
    separated = hostile.splitlines() if "\n" in hostile else hostile.split()
    assert given == separated
