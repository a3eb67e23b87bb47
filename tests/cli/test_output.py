"""Reports reach their place whole, or say why not."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.cli.check.report import COMMANDS, FORMATS
from warplint.analyzer.cli.shared import output
from warplint.analyzer.config.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]


def test_report_goes_to_a_file(warplint: Run, tmp_path: Path) -> None:
    outcome = warplint("rules", "--format", "json", "--output", "rules.json")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    report = json.loads((tmp_path / "rules.json").read_text(encoding="utf-8"))
    assert report.keys() == {"rules"}
    assert [path.name for path in tmp_path.iterdir()] == ["rules.json"]


def test_report_that_cannot_be_written(warplint: Run) -> None:
    outcome = warplint("rules", "--output", "no/such/folder/report.txt")
    assert outcome.code == 2
    assert outcome.err.startswith("error: cannot write `no/such/folder/report.txt`: No such file")


@pytest.mark.parametrize("command", [["check"], ["inspect", "kernels"]], ids=" ".join)
def test_report_does_not_replace_an_input(
    warplint: Run, tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "k.cu").write_text("__global__ void k() {}\n", encoding="utf-8")
    outcome = warplint(*command, ".", "--output", "./k.cu")
    assert outcome.code == 2
    assert outcome.err.startswith("error: `./k.cu` is an input\n")
    assert (tmp_path / "k.cu").read_text(encoding="utf-8") == "__global__ void k() {}\n"


def test_full_disk(warplint: Run) -> None:
    outcome = warplint("rules", "--output", "/dev/full")
    assert outcome.code == 2
    assert "No space left on device" in outcome.err


def test_failed_write_leaves_the_old_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "report.json"
    report.write_text("old", encoding="utf-8")

    def fail(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(UsageError, match="No space left on device"):
        output.write_report("new", str(report))
    assert report.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [report]


def test_link_to_a_report_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to("real.txt")
    output.write_report("new", str(tmp_path / "link.txt"))
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text(encoding="utf-8") == "new"


def test_new_report_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    output.write_report("x", str(tmp_path / "report"))
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_reader_that_has_seen_enough(script: Path) -> None:
    """`warplint rule --all | true`: no complaint, the exit code of the command."""
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [script, "rules"], stdout=write, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_closed_stdout(script: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"{script}" rules >&-'], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_names_and_lines_of_inputs_are_no_commands(warplint: Run, tmp_path: Path) -> None:
    name = "::error file=a::x ##[error].cu"
    (tmp_path / name).write_text(
        "__global__ void k(float *a) {\n    __shared__ float t[32][32]; // ##[add-mask]x ##vso[y]\n"
        "    t[threadIdx.x][0] = a[0]; /* ##teamcity[z]\n::stop-commands::x */\n"
        "    a[1] = t[threadIdx.x][1];\n}\n__global__ void broken( {\n",
        encoding="utf-8",
    )
    for form in set(FORMATS) - set(COMMANDS):
        outcome = warplint(f"./{name}", name, "--block", "32", "--format", form, "--debug")
        for text in (outcome.out, outcome.err):
            assert "##[" not in text
            assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    for form in COMMANDS:
        assert "##[" not in warplint(name, "--block", "32", "--format", form).out
    missing = warplint("::error::gone.cu\n::error::x.cu", "##[group]x.cu")
    assert not any(line.lstrip().startswith("::") for line in missing.err.splitlines())
    assert "##[" not in missing.err


def test_a_patch_is_exact_where_no_ci_reads_it(warplint: Run, tmp_path: Path) -> None:
    text = (
        "__global__ void k(float *out) {\n    __shared__ float tile[32][32];\n// ##[group]x\n"
        "    tile[threadIdx.y][threadIdx.x] = out[0];\n"
        "    out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];\n}\n"
        "void f(float *a) { k<<<1, dim3(32, 32)>>>(a); }\n"
    )
    (tmp_path / "k.cu").write_text(text, encoding="utf-8")
    quiet = dict.fromkeys(("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"), "")
    assert " // ##[group]x\n" in warplint("k.cu", "--diff", **quiet).out
    read = quiet | {"GITHUB_ACTIONS": "true"}
    assert " // ·#[group]x\n" in warplint("k.cu", "--diff", **read).out
    assert warplint("k.cu", "--diff", "-o", "patch", **read).code == 1
    assert " // ##[group]x\n" in (tmp_path / "patch").read_text(encoding="utf-8")


def test_a_report_does_not_follow_a_link_out_of_the_project(
    warplint: Run, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    target = tmp_path_factory.mktemp("theirs") / "profile"
    target.write_text("mine", encoding="utf-8")
    os.symlink(target, tmp_path / "warplint.sarif")
    (tmp_path / "k.cu").write_text("__global__ void k() {}\n", encoding="utf-8")
    for more in (["-o", "warplint.sarif"], ["--baseline", "warplint.sarif", "--update-baseline"]):
        outcome = warplint("k.cu", "--format", "sarif", *more)
        assert outcome.code == 2
        assert target.read_text(encoding="utf-8") == "mine"
    assert "outside of the project" in warplint("k.cu", "-o", "warplint.sarif").err
    assert warplint("rules", "-o", "/dev/null").code == 0


@pytest.mark.parametrize("columns", ["0", "-5", "1", "9" * 30, "\u0663", "\u00b2", "", "x"])
def test_any_width_of_a_terminal(warplint: Run, tmp_path: Path, columns: str) -> None:
    (tmp_path / "k.cu").write_text("__global__ void k() {}\n", encoding="utf-8")
    outcome = warplint("check", "k.cu", COLUMNS=columns)
    assert (outcome.code, outcome.err) == (0, "")
