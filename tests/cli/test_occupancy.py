"""`warplint occupancy`: numbers, files and tables, through the installed command."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from source_tree import ROOT

from warplint.analyzer.resources.occupancy_table import ANSWERS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

NUMBERS = ("occupancy", "--cc", "9.0", "--threads", "256", "--regs", "64")


def test_numbers_as_text(warplint: Run) -> None:
    outcome = warplint(*NUMBERS, "--dynamic-smem", "40000")
    assert outcome.code == 0
    assert "4 blocks, 32 of 64 warps: 50.0 % occupancy, limited by registers" in outcome.out
    needs = "100 % occupancy needs at most 32 registers per thread and at most 28,160 bytes"
    assert needs in outcome.out
    assert "fewer registers per thread: 64 → 48 (-16) gives 5 blocks" in outcome.out
    assert "warps over registers per thread" in outcome.out


def test_numbers_as_json(warplint: Run) -> None:
    outcome = warplint(*NUMBERS, "--static-smem", "1000", "--barriers", "2", "--format", "json")
    (launch,) = json.loads(outcome.out)["launches"]
    assert (launch["blocks_per_sm"], launch["active_warps"], launch["occupancy"]) == (4, 32, 0.5)
    assert launch["limiters"] == ["registers"]
    assert launch["limits"]["barriers"] == 32
    assert launch["full_occupancy"]["max_regs"] == 32
    assert launch["cliffs"]["registers"]["above"]["value"] == 65
    assert launch["curves"]["threads"][0] == [32, 32]


def test_more_than_48_kb_needs_the_opt_in(warplint: Run) -> None:
    refused = warplint(*NUMBERS, "--dynamic-smem", "60000")
    assert "cannot be launched: no block fits, limited by shared" in refused.out
    allowed = warplint(*NUMBERS, "--dynamic-smem", "60000", "--smem-optin")
    assert "3 blocks, 24 of 64 warps" in allowed.out


def test_registers_that_nobody_knows_make_an_upper_bound(warplint: Run) -> None:
    outcome = warplint("occupancy", "--cc", "9.0", "--threads", "256")
    assert "at most 8 blocks, 64 of 64 warps: at most 100.0 % occupancy" in outcome.out


def test_kernels_of_a_file(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(
        "__global__ void scale(float *p) {\n"
        "    __shared__ float tile[1024];\n"
        "    tile[threadIdx.x] = p[threadIdx.x];\n"
        "    p[threadIdx.x] = tile[threadIdx.x];\n"
        "}\n"
        "void host(float *p) { scale<<<8, 128>>>(p); scale<<<8, 512, 2048>>>(p); }\n",
        encoding="utf-8",
    )
    outcome = warplint("occupancy", "k.cu", "--regs", "40", "--format", "json")
    assert outcome.code == 0
    launches = json.loads(outcome.out)["launches"]
    assert [
        (x["kernel"], x["threads_per_block"], x["static_smem"], x["dynamic_smem"]) for x in launches
    ] == [("scale", 128, 4096, 0), ("scale", 512, 4096, 2048)]
    assert [x["blocks_per_sm"] for x in launches] == [12, 3]


def test_registers_are_estimated_from_source(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(
        "__global__ void scale(float *p) { p[threadIdx.x] *= 2; }\n"
        "void host(float *p) { scale<<<8, 128>>>(p); }\n",
        encoding="utf-8",
    )
    outcome = warplint("occupancy", "k.cu")
    assert re.search(
        r"registers: \d+ \(estimate from source, \d+ to \d+ for 9 of 10 kernels\)", outcome.out
    )
    assert "unknown" not in outcome.out
    checked = warplint("check", "k.cu", "--select", "OCC", "--show-possible")
    assert "No findings" in checked.out


def test_a_table_comes_back_with_its_answers(warplint: Run, tmp_path: Path) -> None:
    """Every row of the oracle, byte for byte."""
    oracle = gzip.decompress((ROOT / "tests/data/occupancy.csv.gz").read_bytes()).decode()
    rows = list(csv.DictReader(io.StringIO(oracle)))
    asked = [{**row, **dict.fromkeys(ANSWERS, "")} for row in rows]
    with (tmp_path / "asked.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(asked)
    outcome = warplint("occupancy", "--from-csv", "asked.csv")
    assert outcome.code == 0
    assert list(csv.DictReader(io.StringIO(outcome.out))) == rows


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "neither a file nor --threads was passed"),
        (["--from-csv", "none.csv"], "`none.csv`: no such file"),
        (["--from-csv", "bad.csv"], "`bad.csv`: row 1: threads_per_block is 'x'"),
        (["--from-csv", "bad.csv", "k.cu"], "--from-csv reads a table only"),
        (["--threads", "0"], "invalid value for '--threads'"),
        (["--threads", "256", "--cc", "9.9"], "unknown architecture `9.9`"),
    ],
)
def test_what_cannot_be_answered(
    warplint: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "bad.csv").write_text("cc,threads_per_block,regs_per_thread\n9.0,x,32\n")
    outcome = warplint("occupancy", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_the_curves_are_a_picture(warplint: Run, tmp_path: Path) -> None:
    assert warplint(*NUMBERS, "--svg", "curves.svg").code == 0
    picture = ElementTree.parse(tmp_path / "curves.svg").getroot()
    circles = picture.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(circles) == 3
