"""Numbers that no machine has: every rule runs on them, and none fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import InputFile, Inputs
from warplint.analyzer.findings.rule import Input
from warplint.rules import load_rules

if TYPE_CHECKING:
    from warplint.analyzer.engine.result import RunResult

HUGE = "9" * 5000

CUDA = {
    "bounds below zero": "__global__ void __launch_bounds__(-1) k(float *x) { x[threadIdx.x]++; }",
    "bounds of zero": "__global__ void __launch_bounds__(0, 0) k(float *x) { x[threadIdx.x]++; }",
    "bounds beyond floats": (
        f"__global__ void __launch_bounds__(1024, 1e{HUGE}) k(float *x) {{ x[threadIdx.x]++; }}"
    ),
    "bounds of not a number": (
        "__global__ void __launch_bounds__(1e999 - 1e999) k(float *x) { x[threadIdx.x]++; }"
    ),
    "bounds of many digits": (
        f"__global__ void __launch_bounds__({HUGE}) k(float *x) {{ x[threadIdx.x]++; }}"
    ),
    "an extent below zero": (
        "__global__ void k(float *x) { __shared__ float s[-1]; s[threadIdx.x] = x[0];"
        " __syncthreads(); x[0] = s[1]; }"
    ),
    "an extent of many digits": (
        f"__global__ void k(float *x) {{ __shared__ float s[{HUGE}]; s[0] = x[0]; }}"
    ),
    "extents that multiply": (
        "__global__ void k(float *x) { __shared__ float s"
        + "[9000000000000000000]" * 400
        + "; x[0] = 1; }"
    ),
    "an extent beyond any memory": (
        "__global__ void k(float *x) { __shared__ float s[4][1000000000000]; int t = threadIdx.x;"
        " s[t & 3][t] = x[t]; __syncthreads(); x[t] = s[3 - (t & 3)][t + 1]; }"
        " void f(float *x) { k<<<1, 64>>>(x); }"
    ),
    "an array of a thread beyond any memory": (
        "struct S { float v[1000000000]; };\n__global__ void __launch_bounds__(1024, 2) k(S *x) {"
        " float a[1000000000]; S s[2]; int n = x[3].v[0]; for (int i = 0; i < 4; i++) a[i] = n;"
        " for (int j = 0; j < n; j++) for (int i = 0; i < 4; i++) a[i] += j;"
        " s[0] = x[0]; s[1] = s[0]; x[0] = s[1]; x[1].v[0] = a[3]; }"
    ),
    "a condition of many digits": (
        f"#if __CUDA_ARCH__ >= {HUGE}\n#endif\n__global__ void k(float *x) {{ x[0] = 1; }}"
    ),
    "a condition divided by zero": (
        "#if 1 / 0 || 5 % 0 || (1 << 9999) > -7 / 2\n#endif\n__global__ void k(float *x) {}"
    ),
    "products without end": (
        "constexpr long a = 9223372036854775807;\n"
        + "".join(
            f"constexpr auto b{i} = {'a' if not i else f'b{i - 1}'} * a;\n" for i in range(30)
        )
        + "__global__ void k(float *x) { __shared__ float s[b29]; s[0] = x[b29]; }"
    ),
    "infinity as an integer": (
        "constexpr int n = 1e999;\n__global__ void k(float *x) { x[n] = n; int y[n]; y[0] = 1; }"
    ),
    "an alignment of many digits": (
        f"struct __align__({HUGE}) S {{ float v; }};\n"
        "struct alignas(-8) T { S s; };\nstruct alignas(1 << 40) U { T t; };\n"
        "__global__ void k(U *x) { x[threadIdx.x] = x[0]; }"
    ),
    "a bit-field of many bits": (
        f"struct S {{ int v : {HUGE}; int w : -3; }};\n__global__ void k(S *x) {{ x[0].v = 1; }}"
    ),
    "a switch of many digits": (
        f"__global__ void k(int *x) {{ switch (x[0]) {{ case {HUGE}: case 1e999: x[1] = 1; }} }}"
    ),
    "a pragma of many digits": (
        f"__global__ void k(int *x) {{\n#pragma unroll {HUGE}\nfor (int i = 0; i < 4; i++)"
        " x[i] = i;\n}"
    ),
    "a launch of many digits": (
        "__global__ void k(int *x) { x[0] = 1; }\n"
        f"int main() {{ k<<<{HUGE}, 1e999>>>(0); k<<<1, -1, -5>>>(0); k<<<1e30, {HUGE}, 1e999>>>"
        f"({HUGE}); k<<<dim3(-1, 70000), dim3(1024, 1024, 1024), 1e300>>>(0); }}"
    ),
    "characters of many digits": (
        "__global__ void k(char *x) { const char s[] = \"\\x" + "f" * 5000 + '"; x[0] = s[0]; }'
    ),
}  # fmt: skip

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"

PTX = {
    "a block beyond any": ".reqntid 128, 1, 1000000",
    "a block in hexadecimal": ".reqntid 0x80000000, 1, 1",
    "a block of many digits": f".reqntid {HUGE}, {HUGE}, {HUGE}",
    "a block of nothing": ".maxntid 0, 0, 0 .minnctapersm 0 .maxnreg 0",
    "blocks without end": f".maxntid 4294967295 .minnctapersm {HUGE} .maxnreg 99999999",
}

BODIES = {
    "a copy of 4 GiB": "cp.async.cg.shared.global [s], [%rd1], 4294967296;",
    "copies below zero": "cp.async.cg.shared.global [s], [%rd1], -16;",
    "bulk copies": (
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], "
        "4294967280, [s];"
    ),
    "an alignment that is a fraction": ".shared .align 1e9 .b8 t[3]; st.shared.u32 [t], %r1;",
    "an alignment of many digits": f".shared .align {HUGE} .b8 t[3]; st.shared.u32 [t], %r1;",
    "an extent of many digits": f".shared .b8 t[{HUGE}]; st.shared.u32 [t], %r1;",
    "an extent below zero": ".shared .b8 t[-5]; .local .b8 l[-1]; st.shared.u32 [t], %r1;",
    "many registers": f".reg .b32 %q<{HUGE}>; mov.u32 %q1, 1; st.global.u32 [%rd1], %q1;",
    "a place of many digits": f".loc {HUGE} {HUGE} {HUGE}\nst.global.u32 [%rd1], %r1;",
    "an offset of many digits": f"st.global.u32 [%rd1+{HUGE}], %r1;",
    "a barrier of many digits": f"bar.sync {HUGE}, {HUGE}; bar.sync 1e9;",
    "a shift of many digits": f"shl.b32 %r2, %r1, {HUGE}; st.global.u32 [%rd1], %r2;",
    "hexadecimal of many digits": f"mov.u64 %rd2, 0x{'f' * 5000}; st.global.u64 [%rd1], %rd2;",
}


def run(name: str, text: str, **settings: object) -> RunResult:
    path = f"input.{name}"
    file = InputFile(path, Input.PTX if name == "ptx" else Input.CUDA, text.encode())
    return check(
        Inputs([file]),
        Settings(**settings),
        tuple(load_rules().values()),  # type: ignore[arg-type]
    )


def holds(result: RunResult) -> bool:
    """Whether no stage failed, and the kernel was found."""
    messages = [problem.message for item in result.inputs for problem in item.problems]
    return not any("internal error" in text for text in messages) and result.inputs[0].kernels == 1


@pytest.mark.parametrize("name", CUDA)
def test_cuda(name: str) -> None:
    assert holds(run("cu", CUDA[name] + "\n"))


@pytest.mark.parametrize("name", PTX)
def test_launch_bounds_of_ptx(name: str) -> None:
    body = "{ .reg .b64 %rd<9>; .reg .b32 %r<9>; mov.u32 %r1, %tid.x; ret; }\n"
    assert holds(run("ptx", f"{HEAD}.visible .entry k(.param .u64 a) {PTX[name]}\n{body}"))


@pytest.mark.parametrize("name", BODIES)
def test_statements_of_ptx(name: str) -> None:
    text = (
        f"{HEAD}.visible .entry k(.param .u64 a)\n{{ .reg .b64 %rd<9>; .reg .b32 %r<9>;"
        " .shared .align 16 .b8 s[64];\n ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x;\n"
        f" {BODIES[name]}\n st.shared.u32 [s], %r1; ret; }}\n"
    )
    assert holds(run("ptx", text))


def test_a_block_that_cannot_be_launched_is_not_assumed() -> None:
    body = "{ .reg .b64 %rd<9>; .reg .b32 %r<9>; mov.u32 %r1, %tid.x; ret; }\n"
    result = run("ptx", f"{HEAD}.visible .entry k(.param .u64 a) .reqntid 1024, 2, 1\n{body}")
    (item,) = result.inputs
    assert [each.value for each in item.assumptions] == [[256, 1, 1]]
