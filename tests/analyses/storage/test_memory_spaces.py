"""Where variables live: the table of MEM001."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module, ptx_module

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.storage.memory_spaces import VariableReport, describe

KERNEL = """\
#include <cooperative_groups.h>
texture<float, 2> image;
__constant__ float weights[16];
__constant__ float *chosen;
__device__ int visits;
__managed__ int total;
template <int N>
__global__ void kernel(const float *in, float *out, cudaTextureObject_t handle, int n) {
    constexpr int TILE = 2 * N;
    __shared__ float tile[TILE];
    extern __shared__ float rest[];
    extern __shared__ int same[];
    static int calls;
    float sum = 0;
    float few[4] = {1, 2, 3, 4};
    float some[100];
    float many[256];
    for (int i = 0; i < 256; ++i) many[i] = in[i];
    for (int i = 0; i < 100; ++i) some[i] = in[i];
    tile[threadIdx.x] = weights[3] + chosen[1] + few[2] + many[n] + some[n] + sum;
    rest[0] = tile[1] + same[1] + tex2D<float>(handle, 1, 2) + tex2D(image, 1, 2);
    visits += calls;
    total += 1;
    out[0] = rest[1];
}
void host(float *p, float *q, cudaTextureObject_t t) { kernel<32><<<1, 64, 512>>>(p, q, t, 3); }
"""


def table(text: str = KERNEL, arch: int = 90) -> dict[str, VariableReport]:
    module = cuda_module(text)
    facts = KernelFacts(module.kernels[0], module, AnalysisOptions(arch))
    return {row.name: row for row in describe(facts)}


@pytest.mark.parametrize(
    ("name", "space", "bytes", "per"),
    [
        ("in", "param", 8, "grid"),
        ("n", "param", 4, "grid"),
        ("tile", "shared", 256, "block"),
        ("rest", "shared", 512, "block"),
        ("calls", "global", 4, "grid"),
        ("sum", "register", 4, "thread"),
        ("few", "register", 16, "thread"),
        ("some", "local or register", 400, "thread"),
        ("many", "local", 1024, "thread"),
        ("weights", "constant", 64, "grid"),
        ("chosen", "constant", 8, "grid"),
        ("visits", "global", 4, "grid"),
        ("total", "managed", 4, "grid"),
        ("image", "texture", None, "grid"),
    ],
)
def test_space_and_size(name: str, space: str, bytes: int | None, per: str) -> None:
    row = table()[name]
    assert (row.space, row.bytes, row.per) == (space, bytes, per)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("tile", "declared __shared__"),
        ("rest", "sized by the launch (launch at line 26)"),
        ("same", "starts at the same address as rest"),
        ("calls", "static in device code: one variable for the whole grid"),
        ("sum", "an automatic variable whose address is not taken"),
        ("few", "every access has a constant index"),
        ("many", "an index depends on `n`, a kernel parameter (line 20); 256 elements"),
        ("chosen", "only the pointer is constant, and the host sets what it points to"),
        ("total", "declared __managed__"),
    ],
)
def test_why(name: str, why: str) -> None:
    assert why in table()[name].why


def test_an_array_inside_of_a_class_needs_an_address_when_its_index_varies() -> None:
    text = """\
struct Buffer { unsigned char bytes[64]; int used; };
struct Pair { float v[2]; };
__global__ void kernel(int *p, int n) {
    Buffer buffer;
    for (int i = 0; i < n; ++i) buffer.bytes[i % 64] = p[i];
    Buffer other;
    other.bytes[3] = p[0];
    Pair pair;
    pair.v[0] = p[0]; pair.v[1] = p[1];
    p[1] = buffer.bytes[n] + pair.v[1] + other.bytes[3];
}
"""
    rows = table(text)
    assert rows["buffer"].space == "local or register"
    assert rows["buffer"].why.startswith("an index into a member array depends on")
    assert (rows["pair"].space, rows["other"].space) == ("register", "register")


def test_an_undecided_array_has_the_properties_of_local_memory() -> None:
    row = table()["some"]
    assert (row.located, row.cached) == ("off-chip", "yes (L1 and L2)")


def test_a_pointer_says_what_it_points_to() -> None:
    rows = table()
    assert [str(item) for item in rows["in"].points_to or ()] == ["global *in"]
    assert [str(item) for item in rows["handle"].points_to or ()] == ["texture"]
    assert [str(item) for item in rows["chosen"].points_to or ()] == ["unknown"]
    assert rows["n"].points_to is None


@pytest.mark.parametrize("arch", [13, 20, 35, 52, 90, 120])
def test_caching_is_that_of_the_architecture(arch: int) -> None:
    from warplint.analyzer.hardware.memory_spaces import memory_space

    rows = table(arch=arch)
    assert rows["many"].cached == memory_space("local", arch).cached
    assert rows["visits"].cached == memory_space("global", arch).cached


def test_what_an_architecture_lacks_is_said() -> None:
    assert table(arch=20)["total"].why.endswith("sm_20 has no managed memory")


def test_ptx() -> None:
    text = """\
.version 8.0
.target sm_90
.address_size 64
.global .texref image;
.const .align 4 .b8 weights[64];
.visible .entry kernel(.param .u64 a)
{
    .shared .align 4 .b8 tile[64];
    .local .align 4 .b8 depot[8];
    .reg .b32 %r<5>; .reg .b64 %rd<5>; .reg .f32 %f<5>;
    ld.param.u64 %rd1, [a];
    ld.const.u32 %r1, [weights];
    st.shared.u32 [tile], %r1;
    st.local.u32 [depot+4], %r1;
    tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [image, {%r1}];
    st.global.f32 [%rd1], %f1;
    ret;
}
"""
    module = ptx_module(text)
    rows = {
        row.name: row.space
        for row in describe(KernelFacts(module.kernels[0], module, AnalysisOptions()))
    }
    assert rows == {
        "%r<5>": "register",
        "%rd<5>": "register",
        "%f<5>": "register",
        "tile": "shared",
        "depot": "register",
        "weights": "constant",
        "image": "texture",
        "a": "param",
    }
