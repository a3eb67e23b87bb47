"""Files for AMD, which has no other shuffles, and what reports make of many calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.edits import edited
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.findings.finding import Applicability, Severity
from warplint.analyzer.findings.joining import joined
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = "__global__ void k(int *s) { s[threadIdx.x] += __shfl_down(s[threadIdx.x], 16); }\n"


@pytest.mark.parametrize(
    ("folder", "header", "found"),
    [
        ("reduce-cuda", "", 1),
        ("ship", "", 1),
        ("reduce-hip", "", 0),
        ("HIP", "", 0),
        ("rocm_kernels", "", 0),
        ("reduce", "#include <hip/hip_runtime.h>\n", 0),
    ],
)
def test_files_for_another_machine(tmp_path: Path, folder: str, header: str, found: int) -> None:
    path = tmp_path / folder / "kernels.cu"
    path.parent.mkdir()
    path.write_text(header + KERNEL, encoding="utf-8")
    rule = load_rules()["WRP005"]
    result = check(collect_inputs([str(path)]), Settings(), (rule,))
    assert len(result.findings) == found


MANY = """__device__ float total(float v)
{
    v += __shfl_down(v, 16);
    return v + __any(v > 3);
}
__global__ void first(float *d)
{
    float v = total(d[threadIdx.x]);
    v += __shfl_xor(v, 1);
    v += __shfl_xor(v, 2);
    v += __shfl_xor(v, 4);
    if (threadIdx.x < 7)
        v += __shfl(v, 3);
    d[threadIdx.x] = v;
}
__global__ void second(float *d)
{
    float v = total(d[threadIdx.x]);
    v += __shfl_xor(v, 1);  // warplint: ignore[WRP005] not for this machine
    v += __shfl_xor(v, 2);
    v += __shfl_xor(v, 4);
    d[threadIdx.x] = v;
}
"""


def test_calls_of_one_function_are_told_as_one(tmp_path: Path) -> None:
    path = tmp_path / "many.cu"
    path.write_text(MANY, encoding="utf-8")
    result = check(collect_inputs([str(path)]), Settings(), (load_rules()["WRP005"],))
    told = [
        (item.span.line, [other.span.line for other in item.related], item.fixes[0].applicability)
        for item in joined(result.findings)
    ]
    assert told == [
        (3, [8, 4], Applicability.UNSAFE),  # the call through which they were found comes first
        (9, [10, 11], Applicability.SAFE),
        (13, [], Applicability.UNSAFE),
        (20, [21], Applicability.SAFE),
    ]


def test_the_fix_covers_all_calls_that_are_told(tmp_path: Path) -> None:
    path = tmp_path / "many.cu"
    path.write_text(MANY, encoding="utf-8")
    rule = load_rules()["WRP005"]
    found = joined(check(collect_inputs([str(path)]), Settings(), (rule,)).findings)
    edits = [edit for item in found for edit in item.fixes[0].edits]
    path.write_text(edited(MANY, edits), encoding="utf-8")
    assert path.read_text(encoding="utf-8").count("_sync(0xffffffff, ") == 8
    assert not check(collect_inputs([str(path)]), Settings(), (rule,)).findings


@pytest.mark.parametrize(
    ("version", "target", "severity"),
    [
        ("4.3", "sm_52", Severity.WARNING),
        ("6.5", "sm_60", Severity.WARNING),  # an older target
        ("6.3", "sm_70", Severity.WARNING),  # an older PTX
        ("6.4", "sm_70", Severity.ERROR),
        ("8.0", "sm_90a", Severity.ERROR),
    ],
)
def test_older_ptx_still_assembles(
    tmp_path: Path, version: str, target: str, severity: Severity
) -> None:
    path = tmp_path / "kernel.ptx"
    text = f""".version {version}
.target {target}
.address_size 64
.visible .entry k(.param .u64 p) {{
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    ld.global.u32 %r1, [%rd1];
    shfl.down.b32 %r2, %r1, 16, 31;
    st.global.u32 [%rd1], %r2;
    ret;
}}
"""
    path.write_text(text, encoding="utf-8")
    (found,) = check(collect_inputs([str(path)]), Settings(), (load_rules()["WRP005"],)).findings
    assert found.severity is severity
    assert ("removed" in found.text) is (severity is Severity.ERROR)
