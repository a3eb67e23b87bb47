"""`warplint check --ptxas-log`: what compilers said of kernels becomes findings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

KERNELS = """\
template <int N> __global__ void wide(float *out) { out[threadIdx.x] = N; }
__global__ void plain(float *out) { out[threadIdx.x] = 0; }
void host(float *p) { wide<4><<<8, 32>>>(p); wide<8><<<8, 32>>>(p); plain<<<8, 32>>>(p); }
"""
LOG = """\
[3/7] nvcc -c k.cu
ptxas info    : Compiling entry function '_Z4wideILi8EEvPf' for 'sm_80'
ptxas info    : Function properties for _Z4wideILi8EEvPf
    32 bytes stack frame, 40 bytes spill stores, 48 bytes spill loads
ptxas info    : Used 255 registers, 360 bytes cmem[0]
ptxas info    : Compiling entry function '_Z4wideILi4EEvPf' for 'sm_80'
ptxas info    : Function properties for _Z4wideILi4EEvPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, 360 bytes cmem[0]
"""


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(KERNELS, encoding="utf-8")
    (tmp_path / "build.log").write_text(LOG, encoding="utf-8")
    (tmp_path / "warplint.toml").write_text('ignore = ["API001"]\n', encoding="utf-8")


def findings(outcome: Outcome) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(outcome.out)["findings"]
    return found


def test_a_spill_is_found_at_the_instance_that_spills(warplint: Run) -> None:
    outcome = warplint("check", "k.cu", "--ptxas-log", "build.log", "--format", "json")
    (finding,) = findings(outcome)
    assert outcome.code == 1
    assert (finding["rule"], finding["line"], finding["kernel"]) == ("LOC002", 1, "wide<8>")
    # The log is of sm_80, whatever the default architecture is.
    assert "40 bytes of stores and 48 bytes of loads on sm_80" in finding["message"]


def test_without_the_log_nothing_is_known_of_spills(warplint: Run) -> None:
    assert findings(warplint("check", "k.cu", "--format", "json")) == []


def test_several_processes_find_the_same(warplint: Run, tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"k{number}.cu").write_text(KERNELS, encoding="utf-8")
    arguments = ["check", ".", "--ptxas-log", "build.log", "--format", "json"]
    one, two = (findings(warplint(*arguments, "--jobs", jobs)) for jobs in ("1", "2"))
    assert one == two
    assert len(one) == 13


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["k.cu", "--ptxas-log", "none.log"], "`none.log`: no such file"),
        (["-", "--ptxas-log", "-"], "only one of the inputs can be `-`"),
    ],
)
def test_a_log_that_cannot_be_read(warplint: Run, arguments: list[str], message: str) -> None:
    outcome = warplint("check", *arguments)
    assert outcome.code == 2
    assert message in outcome.err


def test_a_log_from_the_standard_input(warplint: Run) -> None:
    outcome = warplint("check", "k.cu", "--ptxas-log", "-", "--format", "json", stdin=LOG)
    assert [finding["rule"] for finding in findings(outcome)] == ["LOC002"]


def test_a_log_of_anything_is_no_error(warplint: Run) -> None:
    outcome = warplint("check", "k.cu", "--ptxas-log", "-", stdin="\x1b[0m ptxas info : Used x")
    assert outcome.code == 0


@pytest.mark.parametrize("text", ["", '{"findings": []}\n', "ptxas info : 0 bytes gmem\n"])
def test_a_log_that_says_nothing_is_named(warplint: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "empty.cu").write_text("int x;\n", encoding="utf-8")
    (tmp_path / "other.log").write_text(text, encoding="utf-8")
    outcome = warplint("check", "empty.cu", "--ptxas-log", "other.log")
    assert outcome.code == 0
    assert outcome.err.startswith("note: `other.log` says nothing of any kernel\n  help: ")
