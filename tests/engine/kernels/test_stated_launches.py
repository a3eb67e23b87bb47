"""Launches of the command line instead of those of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.launch import parse_launch
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import InputFile, Inputs
from warplint.analyzer.engine.kernels.stated_launches import unnamed
from warplint.analyzer.findings.rule import Input
from warplint.rules import load_rules

if TYPE_CHECKING:
    from warplint.analyzer.engine.result import RunResult

CUDA = b"""
namespace parts {
__global__ void scale(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) a[i] *= 3;
}
}
void run(float *a) { parts::scale<<<1, 64>>>(a, 10); }
"""
PTX = b""".version 8.0
.target sm_90
.address_size 64
.visible .entry _ZN5parts5scaleEPfi(.param .u64 a, .param .u32 n)
{
    .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<3>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [a];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.gt.s32 %p1, %r5, %r1;
    @%p1 bra L;
    cvta.to.global.u64 %rd1, %rd1;
    mul.wide.s32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    add.f32 %f2, %f1, %f1;
    st.global.f32 [%rd3], %f2;
L:  ret;
}
"""


def checked(launch: str, language: Input) -> RunResult:
    data = CUDA if language is Input.CUDA else PTX
    settings = Settings(launches=(parse_launch(launch),))
    file = InputFile(f"k.{'cu' if language is Input.CUDA else 'ptx'}", language, data)
    return check(Inputs([file]), settings, (load_rules()["GLB006"],))


NAMES = ["scale", "parts::scale", "sc*"]


@pytest.mark.parametrize(
    ("kernel", "language"),
    [
        *((name, language) for name in NAMES for language in (Input.CUDA, Input.PTX)),
        ("_ZN5parts5scaleEPfi", Input.PTX),
    ],
)
def test_a_kernel_gets_its_launch(kernel: str, language: Input) -> None:
    result = checked(f"{kernel}:4:256:[4000],1000", language)
    (finding,) = result.findings
    assert "thread 232 of block 3" in finding.text
    assert "[1,000]" in finding.text
    assert all(each.origin == "--launch" for each in finding.assumptions)


@pytest.mark.parametrize("language", [Input.CUDA, Input.PTX])
@pytest.mark.parametrize("rest", ["4:256:[4004],1000", "4:256:_,1000", "4:256"])
def test_what_is_not_passed_is_not_assumed(language: Input, rest: str) -> None:
    assert not checked(f"scale:{rest}", language).findings


def test_a_name_of_nothing_is_reported() -> None:
    result = checked("skale:1:32", Input.PTX)
    (problem,) = result.problems
    assert "skale" in problem.message


def test_names_in_texts() -> None:
    stated = [parse_launch(f"{name}:1:1") for name in ("a::scale<float>", "rows*", "k")]
    assert not list(unnamed(stated, ["scale rows_of", "_Z1kPf"]))
    assert [each.path for each in unnamed(stated, ["scale"])] == ["--launch rows*", "--launch k"]
