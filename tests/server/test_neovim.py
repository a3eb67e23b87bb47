"""The client that is built into Neovim, where Neovim is installed."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from warplint.analyzer.config.project import CommandLine, Project
from warplint.analyzer.engine.check import Means, check_inputs
from warplint.analyzer.engine.inputs import InputFile, Inputs
from warplint.analyzer.findings.joining import joined
from warplint.analyzer.findings.rule import Input
from warplint.rules import load_rules

from .test_server import SHUFFLE, TILE

NEOVIM = shutil.which("nvim")
HERE = Path(__file__).parent
_CODE = "from warplint.analyzer.cli.main import run; import sys; sys.argv[1:] = ['server']; run()"


@pytest.mark.skipif(NEOVIM is None, reason="Neovim is not installed")
def test_a_session_of_neovim(tmp_path: Path) -> None:
    assert NEOVIM is not None
    text = SHUFFLE.replace("void run", "\n" + TILE.partition("\nvoid")[0] + "\nvoid run")
    (tmp_path / "kernels.cu").write_text(text, encoding="utf-8")
    (tmp_path / "warplint.toml").write_text("", encoding="utf-8")
    choice = random.Random(33)
    pieces = ["", " ", "x", "1", "\n", ";", "{", "}"]
    edits = [
        [choice.randrange(20), choice.randrange(40), choice.randrange(3), choice.choice(pieces)]
        for _ in range(60)
    ]
    given = {
        "runtime": str(HERE.parent.parent / "editors" / "neovim"),
        "command": [sys.executable, "-P", "-c", _CODE],
        "file": str(tmp_path / "kernels.cu"),
        "hover": [4, 5],
        "fix": [4, 11],
        "edits": [[*edit, number % 20 == 0] for number, edit in enumerate(edits)],
    }
    done = subprocess.run(
        [NEOVIM, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", str(HERE / "session.lua")],
        env=dict(os.environ, WARPLINT_TEST=json.dumps(given), XDG_CACHE_HOME=str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    said = dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))
    assert set(said) == {"first", "hover", "fixed", "edited"}, done.stderr
    assert [3, 9, "WRP005"] in said["first"]
    assert "register" in said["hover"]
    assert "WRP005" not in {code for _, _, code in said["fixed"]}
    shown, final = said["edited"]
    assert sorted(map(tuple, shown)) == expected(str(tmp_path / "kernels.cu"), final)


def expected(path: str, text: str) -> list[tuple[Any, ...]]:
    """Lines, columns in bytes, and codes of what a check of a text shows."""
    profile = Project(CommandLine()).profile(path, load_rules())
    inputs = Inputs([InputFile(path, Input.CUDA, text.encode())])
    result = check_inputs(inputs, lambda _: profile, arch=90, means=Means())
    lines = text.split("\n")
    places = [(each.span, each.rule.code) for each in joined(result.findings)]
    places += [(problem.span, "") for problem in result.problems]
    found = []
    for span, code in places:
        line, column = (span.line - 1, span.column - 1) if span is not None else (0, 0)
        found.append((line, len(lines[line][:column].encode()), code))
    return sorted(found)
