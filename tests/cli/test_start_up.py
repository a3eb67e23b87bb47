"""Small questions get quick answers: what is imported is what is paid for."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from warplint import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Outcome

    Run = Callable[..., Outcome]

HEAVY = {"lark", "networkx", "numpy", "pycparser", "rich", "tempfile", "asyncio"}

PROBE = """
import contextlib, io, json, sys
from warplint.analyzer.cli.main import main
with contextlib.redirect_stdout(io.StringIO()):
    code = main(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules)]))
"""


def modules_after(*arguments: str) -> set[str]:
    """What one command line has imported when it is done."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments], capture_output=True, text=True, check=True
    )
    code, modules = json.loads(done.stdout)
    assert code == 0
    return set(modules)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["--help"],
        ["check", "--help"],
        ["inspect", "--help"],
        ["rules"],
        ["rule", "--all"],
        ["rule", "--all", "--format", "json"],
    ],
    ids=" ".join,
)
def test_nothing_heavy_is_imported(arguments: list[str]) -> None:
    assert modules_after(*arguments) & HEAVY == set()


def test_version_imports_no_command_and_no_rule() -> None:
    ours = {name for name in modules_after("--version") if name.startswith("warplint.")}
    assert not {name for name in ours if name.startswith("warplint.rules")}
    assert "warplint.analyzer.cli.check" not in ours


def test_version(warplint: Run) -> None:
    assert warplint("--version").out == f"warplint {__version__}\n"


def test_help_names_every_command(warplint: Run) -> None:
    outcome = warplint("--help")
    assert outcome.code == 0
    for name in ("check", "inspect", "rule", "rules"):
        assert f"\n  {name} " in outcome.out
