"""`warplint check` on a real kernel, through the installed command."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Outcome

    Run = Callable[..., Outcome]

SCHEMA = Path(__file__).parent.parent / "data" / "sarif-schema-2.1.0.json"

DEFECTS = """\
__global__ void defects(float *out) {
    __shared__ float tile[256][8];
    int t = threadIdx.x;
    tile[t][0] = out[t];
    if (t < 16) {
        __syncthreads();
    }
    out[t] = tile[t][1];
}
"""

PTX = """\
.version 8.0
.target sm_90
.address_size 64

.visible .entry defects()
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .shared .align 4 .b8 tile[8192];

    mov.u32 %r1, %tid.x;
    setp.gt.s32 %p1, %r1, 15;
    @%p1 bra $L1;
    bar.sync 0;
$L1:
    shl.b32 %r2, %r1, 5;
    mov.u32 %r3, tile;
    add.s32 %r2, %r3, %r2;
    st.shared.u32 [%r2], %r1;
    ret;
}
"""

CLEAN = """\
__global__ void clean(float *out) {
    out[threadIdx.x] = 1.0f;
}
"""


@pytest.fixture(autouse=True)
def kernels(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "defects.cu").write_text(DEFECTS, encoding="utf-8")
    (tmp_path / "src" / "clean.cu").write_text(CLEAN, encoding="utf-8")


def codes(outcome: Outcome) -> list[tuple[str, int]]:
    """The rules and lines of a JSON report."""
    return [(item["rule"], item["line"]) for item in json.loads(outcome.out)["findings"]]


def test_findings_and_exit_code(warplint: Run) -> None:
    outcome = warplint("check", "src", "--format", "json")
    assert outcome.code == 1
    assert outcome.err == ""
    assert codes(outcome) == [("SYN001", 6), ("SHM001", 4)]
    report = json.loads(outcome.out)
    assert [item["path"] for item in report["inputs"]] == ["src/clean.cu", "src/defects.cu"]
    summary = report["summary"]
    assert (summary["files"], summary["kernels"], summary["exit_code"]) == (2, 2, 1)
    assert (summary["findings"]["error"], summary["findings"]["warning"]) == (1, 1)


def test_ptx_gets_the_same_rules(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "defects.ptx").write_text(PTX, encoding="utf-8")
    outcome = warplint("defects.ptx", "--format", "json")
    assert outcome.code == 1
    assert codes(outcome) == [("SYN001", 14), ("SHM001", 19)]


def test_clean_file(warplint: Run) -> None:
    outcome = warplint("src/clean.cu")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("No findings.\n1 kernel in 1 file, 1 memory access\n")


def test_bare_file_is_check(warplint: Run) -> None:
    assert warplint("src/defects.cu").out == warplint("check", "src/defects.cu").out


def test_full_report_shows_the_line_and_the_caret(warplint: Run) -> None:
    out = warplint("check", "--select", "SYN001", "src/defects.cu").out
    assert out.startswith("error[SYN001] divergent-barrier: ")
    assert " --> src/defects.cu:6:9\n" in out
    assert re.search(r"^6 \|         __syncthreads\(\);\n  \|         \^{13,16}", out, re.MULTILINE)
    assert "  = help: " in out


def test_concise_report(warplint: Run) -> None:
    out = warplint("src/defects.cu", "--format", "concise").out
    assert re.match(r"src/defects\.cu:6:\d+: error\[SYN001\] \S", out)


def test_sarif_report(warplint: Run, tmp_path: Path) -> None:
    outcome = warplint("src", "--format", "sarif", "--output", "out.sarif", "--arch", "sm_80")
    assert (outcome.code, outcome.out) == (1, "")
    log = json.loads((tmp_path / "out.sarif").read_text(encoding="utf-8"))
    jsonschema.validate(log, json.loads(SCHEMA.read_text(encoding="utf-8")))
    (run,) = log["runs"]
    assert run["automationDetails"]["id"] == "warplint/sm_80/"
    assert {result["ruleId"] for result in run["results"]} == {"SHM001", "SYN001"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--select", "SYN001"], {"SYN001"}),
        (["--select", "divergent-barrier"], {"SYN001"}),
        (["--select", "SHM"], {"SHM001"}),
        (["--ignore", "SHM,SYN001"], set()),
        (["--ignore", "SHM", "--ignore", "SYN"], set()),
        (["--block", "16"], {"SHM001", "SYN005"}),
    ],
    ids=lambda words: " ".join(sorted(words)),
)
def test_what_is_reported(warplint: Run, arguments: list[str], expected: set[str]) -> None:
    outcome = warplint("src/defects.cu", "--format", "json", *arguments)
    assert {code for code, _ in codes(outcome)} == expected
    assert outcome.code == (1 if expected else 0)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ([256, 1, 1], "default; set --block")),
        (["--block", "64"], ([64, 1, 1], "--block")),
    ],
)
def test_assumed_block_is_named(
    warplint: Run, arguments: list[str], expected: tuple[list[int], str]
) -> None:
    report = json.loads(warplint("src", "--format", "json", *arguments).out)
    for finding in report["findings"]:
        blocks = [item for item in finding["assumptions"] if item["name"] == "block"]
        assert [(item["value"], item["origin"]) for item in blocks] == [expected]
    shape, origin = expected
    text = "x".join(map(str, shape))
    assert f"{text} ({origin}) for 2 kernels" in warplint("src", *arguments).out


def test_exit_zero_is_for_findings_only(warplint: Run) -> None:
    assert warplint("src", "--exit-zero").code == 0
    assert warplint("src", "gone.cu", "--exit-zero").code == 2


def test_broken_input_beside_findings(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "src" / "empty.ptx").touch()
    outcome = warplint("src", "--format", "json")
    assert outcome.code == 3
    assert ("SYN001", 6) in codes(outcome)
    assert outcome.err.startswith("error: src/empty.ptx: empty file")


def test_macros(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "m.cu").write_text(DEFECTS.replace("t < 16", "t < LIMIT"), encoding="utf-8")
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "limit.h").write_text("#define LIMIT 16\n", encoding="utf-8")
    include = '#include "limit.h"\n' + (tmp_path / "m.cu").read_text(encoding="utf-8")
    (tmp_path / "i.cu").write_text(include, encoding="utf-8")
    select = ("--select", "SYN001", "--format", "json")
    assert codes(warplint("m.cu", "-D", "LIMIT=16", *select)) == [("SYN001", 6)]
    assert codes(warplint("i.cu", "-I", "inc", *select)) == [("SYN001", 7)]
    assert codes(warplint("i.cu", "-I", "inc", "-D", "LIMIT=512", *select)) == [("SYN001", 7)]


@pytest.mark.parametrize(
    ("arguments", "environment", "coloured"),
    [
        ([], {}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour(
    warplint: Run, arguments: list[str], environment: dict[str, str], coloured: bool
) -> None:
    outcome = warplint("src/defects.cu", *arguments, **environment)
    assert ("\x1b[" in outcome.out) is coloured


def test_long_lines_are_clipped(warplint: Run, tmp_path: Path) -> None:
    padding = "int " + "x" * 500 + "; "
    (tmp_path / "wide.cu").write_text(
        DEFECTS.replace("__syncthreads", padding + "__syncthreads"), encoding="utf-8"
    )
    out = warplint("wide.cu", "--select", "SYN001", COLUMNS="72").out
    (line,) = [line for line in out.splitlines() if "__syncthreads" in line and line[0] == "6"]
    assert "..." in line
    assert len(line) <= 72


@pytest.mark.parametrize("name", ["SHM001", "bank-conflict", "shm001"])
def test_rule_page(warplint: Run, name: str) -> None:
    outcome = warplint("rule", name)
    assert outcome.code == 0
    assert outcome.out.startswith("SHM001 bank-conflict\n")
    assert "\nWhat it does\n" in outcome.out


def test_rules_as_json(warplint: Run) -> None:
    (one,) = [json.loads(warplint("rule", "SHM001", "--format", "json").out)]
    every = json.loads(warplint("rule", "--all", "--format", "json").out)["rules"]
    assert one in every
    assert [rule["code"] for rule in every] == sorted(rule["code"] for rule in every)


def test_misspelt_rule(warplint: Run) -> None:
    outcome = warplint("rule", "bank-conflct")
    assert outcome.code == 2
    assert "did you mean `bank-conflict`?" in outcome.err


def test_a_kernel_that_another_input_launches_is_judged_there(
    warplint: Run, tmp_path: Path
) -> None:
    rows = tmp_path / "rows"
    rows.mkdir()
    (rows / "rows.cuh").write_text(
        "__global__ void rows(float *out) {\n"
        "    if (threadIdx.x < 64) __syncthreads();\n"
        "    out[threadIdx.x] = 1;\n"
        "}\n",
        encoding="utf-8",
    )
    select = ("--select", "SYN001", "--format", "json")
    assert codes(warplint("rows", *select)) == [("SYN001", 2)]
    for threads, found in ((64, []), (128, [("SYN001", 2)])):
        launch = f'#include "rows.cuh"\nvoid run(float *x) {{ rows<<<4, {threads}>>>(x); }}\n'
        (rows / "run.cu").write_text(launch, encoding="utf-8")
        assert codes(warplint("rows", *select)) == found
