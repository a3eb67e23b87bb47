"""What the founding documents on memory advise, as findings of `warplint check`.

S0: Kirk and Hwu, chapter 4; S3: KAUST CS 380, lecture 14; S4: Caltech CS 179, lecture 4. The number
behind is the line of the document. What they state of memory spaces is tested in
`tests/analyses/test_founding_statements.py`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from warplint.analyzer.hardware.memory_spaces import memory_space

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

LOG = """\
ptxas info    : Compiling entry function '_Z6kernelPfi' for 'sm_90'
ptxas info    : Function properties for _Z6kernelPfi
    {stack} bytes stack frame, {stores} bytes spill stores, {loads} bytes spill loads
ptxas info    : Used {registers} registers, 360 bytes cmem[0]
"""


@pytest.fixture
def findings(warplint: Run, tmp_path: Path) -> Callable[..., dict[str, dict[str, Any]]]:
    """Rule → finding of a kernel with this body, with a build log perhaps."""

    def run(body: str, *options: str, log: str = "", block: int = 64) -> dict[str, dict[str, Any]]:
        text = f"__global__ void kernel(float *p, int n) {{\n{body}\n}}\n"
        launch = f"void host(float *p, int n) {{ kernel<<<80, {block}>>>(p, n); }}\n"
        (tmp_path / "k.cu").write_text(text + launch, encoding="utf-8")
        if log:
            (tmp_path / "build.log").write_text(log, encoding="utf-8")
            options = (*options, "--ptxas-log", "build.log")
        outcome = warplint("check", "k.cu", "--format", "json", *options)
        return {finding["rule"]: finding for finding in json.loads(outcome.out)["findings"]}

    return run


Findings = "Callable[..., dict[str, dict[str, Any]]]"


@pytest.mark.parametrize(
    ("declaration", "rule"),
    [("float a[4];", "MEM004"), ("__shared__ float a[64];", "SHM005")],
)
def test_s0_242_each_invocation_must_initialise_what_it_uses(
    findings: Findings, declaration: str, rule: str
) -> None:
    assert rule in findings(f"{declaration}\np[threadIdx.x] = a[threadIdx.x & 3];")
    written = f"{declaration}\na[threadIdx.x & 3] = n;\np[threadIdx.x] = a[threadIdx.x & 3];"
    assert rule not in findings(written)


def test_s0_263_the_registers_of_all_threads_must_fit(findings: Findings) -> None:
    log = LOG.format(stack=0, stores=0, loads=0, registers=128)
    body = "p[threadIdx.x] = n;"
    assert "OCC004" in findings(body, log=log, block=1024)  # 128 * 1024 registers, of 65,536
    assert "OCC004" not in findings(body, log=log, block=512)


def test_s0_279_refined_arrays_are_to_be_avoided_where_they_are_indexed_at_run_time(
    findings: Findings,
) -> None:
    # "one should avoid using such variables" (automatic arrays). Measured: arrays with constant
    # indices are in registers and cost nothing (analyzer/hardware/local_arrays.toml, "static").
    dynamic = "float a[32];\nfor (int i = 0; i < n; ++i) a[i] = p[i];\np[threadIdx.x] = a[n - 1];"
    static = "float a[32];\nfor (int i = 0; i < 32; ++i) a[i] = p[i];\np[threadIdx.x] = a[3];"
    assert "LOC001" in findings(dynamic, "--extend-select", "LOC001")
    assert "LOC001" not in findings(static, "--extend-select", "LOC001")


@pytest.mark.parametrize("arch", [75, 80, 90])
def test_s3_353_spilled_registers_go_through_the_first_level_cache(arch: int) -> None:
    assert "L1" in memory_space("local", arch).cached
    assert memory_space("local", arch).located == "off-chip"


def test_s4_289_spilling_costs_loads_and_stores_that_depend_on_each_other(
    findings: Findings,
) -> None:
    log = LOG.format(stack=32, stores=40, loads=48, registers=255)
    finding = findings("p[threadIdx.x] = n;", log=log)["LOC002"]
    assert "40 bytes of stores and 48 bytes of loads" in finding["message"]
    assert "LOC002" not in findings(
        "p[threadIdx.x] = n;", log=LOG.format(stack=32, stores=0, loads=0, registers=255)
    )
