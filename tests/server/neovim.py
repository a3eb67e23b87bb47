"""The real Neovim with the client that is built into it, driven by `session.lua`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warplint.analyzer.config.project import CommandLine, Project
from warplint.analyzer.engine.check import Means, check_inputs
from warplint.analyzer.engine.inputs import InputFile, Inputs
from warplint.analyzer.findings.joining import joined
from warplint.analyzer.findings.rule import Input
from warplint.rules import load_rules

if TYPE_CHECKING:
    import random

NEOVIM = shutil.which("nvim")
HERE = Path(__file__).parent
PIECES = ("", " ", "x", "1", "\n", ";", "{", "}")
_CODE = "from warplint.analyzer.cli.main import run; import sys; sys.argv[1:] = ['server']; run()"

Edit = list[Any]


def random_edits(choice: random.Random, count: int, lines: int, looked_at: int = 20) -> list[Edit]:
    """Line, byte, bytes that go, what comes, and whether diagnostics are waited for."""
    return [
        [
            choice.randrange(lines),
            choice.randrange(40),
            choice.randrange(3),
            choice.choice(PIECES),
            number % looked_at == 0,
        ]
        for number in range(count)
    ]


def session(file: Path, edits: list[Edit], **places: list[int]) -> tuple[dict[str, Any], str]:
    """What a session says of each of its steps, and what it complained of."""
    assert NEOVIM is not None
    given = {
        "runtime": str(HERE.parent.parent / "editors" / "neovim"),
        "command": [sys.executable, "-P", "-c", _CODE],
        "file": str(file),
        "edits": edits,
        **places,
    }
    done = subprocess.run(
        [NEOVIM, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", str(HERE / "session.lua")],
        env=dict(os.environ, WARPLINT_TEST=json.dumps(given), XDG_CACHE_HOME=str(file.parent)),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    rows = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))
    return dict(rows), done.stderr


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
