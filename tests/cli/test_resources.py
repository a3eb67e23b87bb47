"""`warplint resources`: the ladder of truth and the budget gate, through the installed command.

No compiler is needed: `--ptxas` names programs that print what a compiler would.
"""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING, Any

import pytest
from source_tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

BINARIES = ROOT / "tests/data/binaries"
CUBIN, LOG = str(BINARIES / "kernels.sm_75.cubin"), str(BINARIES / "kernels.sm_90.log")
PTX = """\
.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.shared .align 4 .b8 tile[100];
.visible .entry scale(.param .u64 data, .param .u32 count, .param .u64 out)
.maxntid 128, 1, 1
{
    .reg .b32 %r<3>;
    mov.u32 %r1, tile;
    ld.shared.u32 %r2, [%r1];
    bar.sync 2;
    ret;
}
"""


@pytest.fixture(autouse=True)
def ptx(tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(PTX, encoding="utf-8")


def kernels(outcome: Outcome) -> dict[tuple[str, str], Any]:
    """The records by kernel and architecture."""
    return {(item["kernel"], item["arch"]): item for item in json.loads(outcome.out)["kernels"]}


def number(record: Any, name: str) -> tuple[int | None, str | None]:
    """A number and its source."""
    amount = record["resources"][name]
    return amount["value"], amount["source"]


def fake_ptxas(folder: Path, script: str) -> str:
    """A program that stands in for ptxas."""
    path = folder / "bin" / "ptxas"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_what_ptx_settles(warplint: Run) -> None:
    outcome = warplint("resources", "k.ptx", "--ptxas", "never", "--format", "json")
    assert outcome.code == 0
    record = kernels(outcome)["scale", "sm_90"]
    assert number(record, "static_shared") == (112, "PTX")  # rounded up for `dynamic`
    assert number(record, "barriers") == (3, "PTX")
    assert number(record, "parameters") == (24, "PTX")
    assert number(record, "constant_bank") == (552, "PTX")
    assert number(record, "frame") == (0, "PTX")
    assert number(record, "spill_stores") == (None, None)
    assert number(record, "expected_spills") == (0, "estimate")
    assert record["spills"] is False
    (launch,) = record["launches"]
    assert launch["threads_per_block"] == 128


def test_binaries_and_logs_on_their_own(warplint: Run) -> None:
    outcome = warplint("resources", CUBIN, "--ptxas-log", LOG, "--format", "json")
    found = kernels(outcome)
    assert len(found) == 10
    assert number(found["reverse<128>", "sm_75"], "registers") == (12, "cubin")
    assert number(found["reverse<128>", "sm_90"], "registers") == (14, "build log")
    assert number(found["crowded", "sm_90"], "spill_stores") == (436, "build log")
    assert found["crowded", "sm_75"]["spills"] is None
    (log,) = json.loads(outcome.out)["logs"]
    assert (log["kernels"], log["unknown"]) == (5, [])


def test_a_cubin_wins_over_a_log_and_the_log_fills_in(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "build.log").write_text(
        (BINARIES / "kernels.sm_75.log").read_text().replace("Used 64 reg", "Used 63 reg")
    )
    outcome = warplint("resources", CUBIN, "--ptxas-log", "build.log", "--format", "json")
    crowded = kernels(outcome)["crowded", "sm_75"]
    assert number(crowded, "registers") == (64, "cubin")
    assert number(crowded, "spill_stores") == (128, "build log")


def test_sources_get_the_numbers_of_their_binary(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text((BINARIES / "kernels.cu").read_text())
    outcome = warplint("resources", "k.cu", CUBIN, "--ptxas", "never", "--format", "json")
    crowded = kernels(outcome)["crowded", "sm_75"]
    assert (crowded["path"], crowded["line"]) == ("k.cu", 35)
    assert number(crowded, "registers") == (64, "cubin")
    assert crowded["launches"][0]["active_warps"] == 32


def test_without_a_compiler_the_source_gives_an_interval(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("__global__ void k(int *p) { p[0] = 1; }\n")
    outcome = warplint("resources", "k.cu", "--ptxas", "never")
    assert "per thread (estimate from source, 8 to " in outcome.out
    assert " for 9 of 10 kernels)" in outcome.out
    assert "about 100.0 % occupancy" in outcome.out
    outcome = warplint("resources", "k.cu", "--ptxas", "never", "--format", "json")
    registers = kernels(outcome)["k", "sm_90"]["resources"]["registers"]
    assert registers["low"] <= registers["value"] <= registers["high"]
    assert registers["source"] == "estimate from source"


def test_what_was_not_read_is_not_made_up(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("__global__ void k(int *p) { p[0] = 1; $ @ p; }\n")
    outcome = warplint("resources", "k.cu", "--ptxas", "never")
    assert "registers             unknown" in outcome.out
    assert "at most 100.0 % occupancy" in outcome.out


def test_ptxas_is_asked(warplint: Run, tmp_path: Path) -> None:
    script = (
        "echo \"ptxas info    : Compiling entry function 'scale' for 'sm_80'\"\n"
        'echo "ptxas info    : Used 21 registers, used 3 barriers, 112 bytes smem $@"'
    )
    ptxas = fake_ptxas(tmp_path, script)
    outcome = warplint(
        "resources", "k.ptx", "--ptxas", ptxas, "--arch", "sm_80", "--format", "json"
    )
    record = kernels(outcome)["scale", "sm_80"]
    assert number(record, "registers") == (21, "ptxas")
    assert number(record, "parameters") == (24, "PTX")


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'ptxas error   : no such architecture'; exit 255", "no such architecture"),
        ("exit 3", "ended with code 3"),
    ],
)
def test_a_build_that_fails_costs_nothing_else(
    warplint: Run, tmp_path: Path, script: str, message: str
) -> None:
    ptxas = fake_ptxas(tmp_path, script)
    outcome = warplint("resources", "k.ptx", "--ptxas", ptxas)
    assert outcome.code == 0
    assert message in outcome.err
    assert "static shared memory  112 bytes (PTX)" in outcome.out


def test_the_budget(warplint: Run, tmp_path: Path) -> None:
    written = warplint("resources", CUBIN, "--write-baseline", "budget.json")
    assert written.code == 0
    same = warplint("resources", CUBIN, "--baseline", "budget.json")
    assert (same.code, same.out.splitlines()[-1]) == (0, "budget: no regressions, 0 differences")
    stored = json.loads((tmp_path / "budget.json").read_text())
    for kernel in stored["kernels"]:
        kernel["registers"] -= 4 if "pick" in kernel["kernel"] else -4
    stored["kernels"].pop()
    (tmp_path / "budget.json").write_text(json.dumps(stored))
    worse = warplint("resources", CUBIN, "--baseline", "budget.json")
    assert worse.code == 1
    assert "worse  _Z4pickPKfPfii (sm_75): registers 36 → 40 (+4)" in worse.out
    assert "better _Z14named_barriersPf (sm_75): registers 14 → 10 (-4)" in worse.out
    assert "new kernel" in worse.out
    assert worse.out.splitlines()[-1] == "budget: 1 regression, 5 differences"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "neither a file nor a build log was passed"),
        (["none.cubin"], 2, "no such file or directory"),
        (["cut.cubin"], 3, "section table is cut off"),
        (["k.ptx", "--ptxas-log", "none.log"], 2, "`none.log`: no such file"),
        (["k.ptx", "--baseline", "k.ptx"], 2, "write it with"),
        (["k.ptx", "--baseline", "list.json"], 2, "not a budget"),
    ],
)
def test_what_cannot_be_read(
    warplint: Run, tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    (tmp_path / "cut.cubin").write_bytes((BINARIES / "kernels.sm_75.cubin").read_bytes()[:3000])
    (tmp_path / "list.json").write_text("[]")
    outcome = warplint("resources", *arguments)
    assert outcome.code == code
    assert message in outcome.err


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("$(touch ran).cu", []),
        ("`touch ran`.cu", []),
        ('a";touch ran;".cu', []),
        ("a;touch ran;.cu", []),
        ("k.cu", ["-D", "A=$(touch ran)"]),
        ("k.cu", ["-D", "A=`touch ran`"]),
        ("k.cu", ["-I", "$(touch ran)"]),
    ],
)
def test_no_word_for_nvcc_is_read_by_its_shell(
    warplint: Run, tmp_path: Path, name: str, more: list[str]
) -> None:
    fake_ptxas(tmp_path, "exit 0\n")
    nvcc = tmp_path / "bin" / "nvcc"  # which puts its words between quotes, and asks a shell
    nvcc.write_text(
        '#!/usr/bin/env python3\nimport os, sys\nos.system(" ".join(f\'"{w}"\' for w in '
        f'["true", *sys.argv[1:]]) + "; cd {tmp_path}")\n',
        encoding="utf-8",
    )
    nvcc.chmod(0o755)
    (tmp_path / name).write_text("__global__ void k(int *a) { a[0] = 1; }\n", encoding="utf-8")
    outcome = warplint("resources", "--ptxas", str(tmp_path / "bin" / "ptxas"), *more, "--", name)
    assert "nvcc hands its words to a shell" in outcome.err
    assert not list(tmp_path.rglob("ran"))
