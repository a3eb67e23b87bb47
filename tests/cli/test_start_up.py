"""Small questions get quick answers: what is imported is what is paid for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from warplint import __version__

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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


KERNEL = "__global__ void k(float *out) {\n    out[threadIdx.x] = 1.0f;\n}\n"

#: The modules of reports, by the format that they are for.
REPORTS = {
    "full": {"formats.console", "text.frame"},
    "concise": {"formats.console", "text.frame"},
    "json": {"formats.json_report"},
    "jsonl": {"formats.json_lines"},
    "sarif": {"formats.sarif"},
    "github": {"formats.github"},
    "gitlab": {"formats.gitlab"},
    "azure": {"formats.azure"},
    "gcc": {"formats.gcc"},
    "rdjson": {"formats.rdjson"},
    "checkstyle": {"formats.checkstyle"},
    "junit": {"formats.junit"},
    "markdown": {"formats.markdown"},
    "html": {"html.page"},
}


def modules_after(*arguments: str, **environment: str) -> set[str]:
    """What one command line has imported when it is done."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
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
    assert "warplint.analyzer.cli.check.command" not in ours


@pytest.mark.parametrize("format_", REPORTS)
def test_a_report_imports_no_other_report(tmp_path: Path, format_: str) -> None:
    (tmp_path / "k.cu").write_text(KERNEL, encoding="utf-8")
    check = ("check", str(tmp_path / "k.cu"), "--format", format_, "-o", os.devnull)
    modules = modules_after(*check)
    assert not modules & {"networkx", "numpy", "rich", "asyncio"}
    report = "warplint.analyzer.report."
    found = {name.removeprefix(report) for name in modules if name.startswith(report)}
    wanted = REPORTS[format_]
    assert wanted <= found
    # The frame of a finding shows problems on the terminal, too; JSON lines are made of JSON.
    shared = {"text.frame"} | ({"formats.json_report"} if format_ == "jsonl" else set())
    others = set().union(*REPORTS.values()) - wanted - shared
    assert not found & others


def test_an_unchanged_file_needs_no_front_end(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(KERNEL, encoding="utf-8")
    kept = {"WARPLINT_CACHE_DIR": str(tmp_path / "kept")}
    path = str(tmp_path / "k.cu")
    front_end = {"warplint.analyzer.cuda", "warplint.analyzer.analyses.facts", "pycparser.c_ast"}
    assert front_end <= modules_after("check", path, **kept)
    again = modules_after("check", path, **kept)
    assert not again & (front_end | HEAVY)
    assert {name for name in again if name.startswith("warplint.rules.")} == {
        "warplint.rules.plugins",
        "warplint.rules.stored",
    }
    anew = modules_after("check", path, "--no-cache", **kept)
    assert front_end <= anew
    of_ptx = {"warplint.analyzer.ptx.syntax.parse", "warplint.analyzer.ptx.syntax.tree"}
    assert not anew & (of_ptx | HEAVY | {"subprocess"})


def test_version(warplint: Run) -> None:
    assert warplint("--version").out == f"warplint {__version__}\n"


def test_help_names_every_command(warplint: Run) -> None:
    outcome = warplint("--help")
    assert outcome.code == 0
    for name in ("check", "inspect", "rule", "rules"):
        assert f"\n  {name} " in outcome.out
