"""Where local arrays end up, against what ptxas did with the same kernels.

`data/local_arrays.json` has the stack frames of kernels that bench/local_arrays.py compiled.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from analyses.kernels import body_facts, cuda_module, ptx_module

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.pointers.local_arrays import LocalArray, judge
from warplint.analyzer.hardware.local_arrays import Pattern, Residence, measured_with, patterns
from warplint.analyzer.ir.memory import Space

DATA = json.loads((Path(__file__).parents[2] / "data" / "local_arrays.json").read_text())
SIZES = DATA["sizes"]
LOCAL, REGISTERS, UNKNOWN = Residence.LOCAL, Residence.REGISTERS, Residence.UNKNOWN


def fate(facts: KernelFacts) -> LocalArray:
    """The fate of the only local object of a kernel."""
    (item,) = [each for each in facts.kernel.objects if each.space is Space.LOCAL]
    return judge(facts, item)


def of_body(body: str) -> LocalArray:
    return fate(body_facts(body, parameters="float *p, int n, const int *index"))


def title(kernel: dict[str, Any]) -> str:
    return f"{kernel['element']} {kernel['use']} {kernel['fill']}"


def row_of(kernel: dict[str, Any]) -> Pattern:
    """The row of the table that claims a measured kernel, by fill if one does so."""
    whole = title(kernel)
    short = whole.rpartition(" ")[0]
    for name in (whole, short):
        found = [row for row in patterns().values() if name in row.uses]
        if found:
            (row,) = found
            return row
    raise AssertionError(f"no row claims {whole}")


def words(kernel: dict[str, Any]) -> int:
    """Registers per element, which the row for constant indices counts instead of elements."""
    return 2 if title(kernel).startswith("double static") else 1


@pytest.mark.parametrize("kernel", DATA["kernels"], ids=title)
def test_the_analysis_finds_the_row_that_was_measured(kernel: dict[str, Any]) -> None:
    parameters = "const float *in, float *out, const int *idx, int j, int k"
    size = 8
    text = f"{DATA['helper']}__global__ void kernel({parameters}) {{\nconstexpr int N = {size};\n"
    module = cuda_module(f"{text}{kernel['body']}}}\n")
    found = fate(KernelFacts(module.kernels[0], module, AnalysisOptions()))
    assert found.pattern == row_of(kernel).name
    if found.pattern != "passed-on":
        assert found.residence is row_of(kernel).residence(size)


@pytest.mark.parametrize("kernel", DATA["kernels"], ids=title)
def test_the_table_says_nothing_that_ptxas_did_not_do(kernel: dict[str, Any]) -> None:
    row = row_of(kernel)
    for frames in kernel["stack_frames"].values():
        for size, frame in zip(SIZES, frames, strict=True):
            found = row.residence(size * words(kernel))
            assert found is not (REGISTERS if frame else LOCAL), f"{size} elements"


def test_the_table_is_as_sharp_as_the_measurements() -> None:
    for row in patterns().values():
        if row.also:
            continue  # measured elsewhere too
        kernels = [kernel for kernel in DATA["kernels"] if row_of(kernel) is row]
        kernels = [kernel for kernel in kernels if "double static" not in title(kernel)]
        rows = [frames for kernel in kernels for frames in kernel["stack_frames"].values()]
        assert rows, f"{row.name} rests on nothing"
        local = [any(frames[place] for frames in rows) for place in range(len(SIZES))]
        registers = next((SIZES[place - 1] for place in range(1, len(SIZES)) if local[place]), 128)
        assert row.registers_up_to == (0 if local[0] else registers), row.name


def test_the_share_that_is_decided_is_the_one_that_the_readme_states() -> None:
    residences = [
        row_of(kernel).residence(size * words(kernel))
        for kernel in DATA["kernels"]
        for _ in kernel["stack_frames"]
        for size in SIZES
    ]
    decided = sum(residence is not UNKNOWN for residence in residences)
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    assert f"{len(DATA['kernels'])} kernels × {len(SIZES)} sizes" in readme
    assert f"{decided:,} of {decided:,} decided, {len(residences) - decided:,} left open" in readme


def test_the_table_names_its_compiler() -> None:
    assert DATA["tools"].removeprefix("V") in measured_with()


# ---- reasons -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "residence", "why"),
    [
        ("float l[4]; l[1] = p[0]; p[1] = l[1];", REGISTERS, "every access has a constant index"),
        ("float l[4];", REGISTERS, "its address is not needed"),
        (
            "float l[4];\nfor (int i = 0; i < 4; ++i) l[i] = p[i];\np[0] = l[3];",
            REGISTERS,
            "every index is constant once the loops over it are unrolled (line 3)",
        ),
        (
            "float l[4]; for (int i = 0; i < 3000; ++i) l[i & 3] = p[i]; p[0] = l[1];",
            UNKNOWN,
            "in registers only if every loop over it is unrolled, which makes every index constant",
        ),
        (
            "float l[400]; l[3] = 1; p[0] = l[3];",
            UNKNOWN,
            "in registers only if 400 registers are available",
        ),
        (
            "float l[256]; for (int i = 0; i < 256; ++i) l[i] = p[i];\np[0] = l[n];",
            LOCAL,
            "an index depends on `n`, a kernel parameter (line 3); 256 elements read once",
        ),
        (
            "float l[32];\n#pragma unroll 1\nfor (int i = 0; i < 32; ++i) l[i] = 1; p[0] = l[2];",
            LOCAL,
            "a pragma prevents unrolling of the loop over it (line 4)",
        ),
        (
            "float l[8];\n#pragma unroll 8\nfor (int i = 0; i < 8; ++i) l[i] = p[i];\np[0] = l[2];",
            REGISTERS,
            "once the loops over it are unrolled",
        ),
        (
            "float l[4]; elsewhere(l); p[0] = l[1];",
            UNKNOWN,
            "its address is passed to `elsewhere` (line 2): its definition is not in this file",
        ),
        (
            "float l[4]; float *q = n ? l : p; q[1] = 2; p[0] = l[1];",
            LOCAL,
            "it is accessed through a pointer that may point elsewhere",
        ),
        ("double l[4]; l[n] = 2; p[0] = l[1];", LOCAL, "of eight bytes each"),
        (
            "float4 l[4]; l[n].x = 2; p[0] = l[1].y;",
            UNKNOWN,
            "the compiler's choice for this access pattern was not measured",
        ),
    ],
)
def test_why(body: str, residence: Residence, why: str) -> None:
    found = of_body(body)
    assert (found.residence, why in found.why) == (residence, True), found


def test_a_template_argument_that_is_not_known_here_is_known_to_the_compiler() -> None:
    text = """\
template <int N> __global__ void kernel(float *p) {
    float l[N] = {0};
    for (int i = 0; i < N; ++i) l[i] = p[i];
    p[0] = l[N - 1];
}
"""
    module = cuda_module(text)
    found = fate(KernelFacts(module.kernels[0], module, AnalysisOptions()))
    assert (found.residence, found.pattern) == (UNKNOWN, "static")
    assert found.why.startswith("in registers only if every loop over it is unrolled")


def test_an_address_that_does_not_get_away_costs_nothing() -> None:
    found = of_body("float2 x; float *q = &x.x; q[0] += 1; p[1] = x.x;")
    assert found.residence is REGISTERS


def test_ptx_local_is_not_local_memory_by_itself() -> None:
    text = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 a, .param .u32 n)
{{
    .local .align 4 .b8 depot[{bytes}];
    .reg .b32 %r<5>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [a];
    ld.param.u32 %r1, [n];
    mov.u64 %rd2, depot;
    st.local.u32 [%rd2], %r1;
    st.local.u32 [%rd2+4], %r1;
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd4, %rd2, %rd3;
    ld.local.u32 %r2, {address};
    st.global.u32 [%rd1], %r2;
    ret;
}}
"""

    def of_ptx(size: int, address: str) -> LocalArray:
        module = ptx_module(text.format(bytes=size, address=address))
        return fate(KernelFacts(module.kernels[0], module, AnalysisOptions()))

    assert of_ptx(8, "[%rd2+4]").residence is REGISTERS
    assert of_ptx(8, "[%rd4]").residence is REGISTERS
    assert of_ptx(4096, "[%rd4]").residence is LOCAL


def test_a_loop_in_ptx_is_one_that_nvcc_has_left() -> None:
    text = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 a)
{
    .local .align 4 .b8 depot[64];
    .reg .b32 %r<5>; .reg .b64 %rd<9>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [a];
    mov.u64 %rd2, depot;
    mov.u32 %r1, 0;
LOOP:
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd4, %rd2, %rd3;
    st.local.u32 [%rd4], %r1;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra LOOP;
    ld.local.u32 %r2, [depot+8];
    st.global.u32 [%rd1], %r2;
    ret;
}
"""
    module = ptx_module(text)
    found = fate(KernelFacts(module.kernels[0], module, AnalysisOptions()))
    assert (found.residence, found.pattern) == (UNKNOWN, "static")
