"""Whatever happens to a file: never an exception, always an answer, the other kernels unharmed."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from .reading import unit

KERNELS = """\
#include <cuda_runtime.h>
#define TILE 32
#define CHECK(x) do { if ((x) != cudaSuccess) exit(1); } while (0)
template <typename T, int N = TILE>
__global__ void __launch_bounds__(N * 8) transpose(const T* __restrict__ in, T* out, int n) {
    __shared__ T tile[N][N + 1];
    for (int i = threadIdx.y; i < N; i += blockDim.y)
        tile[i][threadIdx.x] = in[(blockIdx.y * N + i) * n + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int i = 0; i < N; ++i) { out[i << 1] = tile[threadIdx.x][i] > T(0) ? T{1} : (T)i; }
}
struct Point { float x, y; __device__ Point(float a) : x(a), y{0} {} };
__device__ __forceinline__ float reduce(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
    asm volatile("bar.sync %0;" :: "r"(1) : "memory");
    return v;
}
void launch(float* a, float* b, int n) {
    dim3 grid((n + TILE - 1) / TILE, 2), block{TILE, 8};
    transpose<float, 32><<<grid, block, 0, stream>>>(a, b, n);
    CHECK(cudaGetLastError());
    run([=] __device__ (int i) { a[i] = b[i]; });
}
"""
LAST = "\n__global__ void last(int* p) { p[threadIdx.x] = 1; }\n"
PIECES = st.sampled_from(
    [*"(){}[]<>;,#\"'*&\\", "<<<", "//", "/*", "template", "#if 0\n", "\n", "x"]
)


@settings(max_examples=150)
@given(st.integers(0, len(KERNELS) - 1), st.integers(0, 6), PIECES)
def test_a_place_is_overwritten(place: int, length: int, piece: str) -> None:
    read = unit(KERNELS[:place] + piece + KERNELS[place + length :] + LAST)
    assert read.functions or "#if 0" in piece or piece in ("/*", '"', "'", "{", "(", "\\")


@settings(max_examples=60)
@given(st.integers(0, len(KERNELS)))
def test_the_file_ends_early(place: int) -> None:
    unit(KERNELS[:place])


@settings(max_examples=60)
@example("}>({")
@given(st.text(alphabet="<>(){}[];,*&=.:#\\\"' \nTax1", max_size=80))
def test_any_text_in_a_body_costs_no_other_kernel(text: str) -> None:
    balanced = text.replace("#", "").replace('"', "").replace("'", "").replace("\\", "")
    read = unit(f"__global__ void k(int* a) {{ {balanced} \n}}{LAST}")
    assert "last" in [function.decl.name for function in read.functions] or "/*" in text


@settings(max_examples=60)
@given(st.integers(0, len(KERNELS.split()) - 1), st.integers(0, len(KERNELS.split()) - 1))
def test_two_words_are_exchanged(first: int, second: int) -> None:
    words = KERNELS.split(" ")
    first, second = first % len(words), second % len(words)
    words[first], words[second] = words[second], words[first]
    unit(" ".join(words))


def test_the_file_itself_is_read_fully() -> None:
    read = unit(KERNELS + LAST)
    assert [f.decl.name for f in read.functions] == [
        "transpose", "Point", "reduce", "launch", "last",
    ]  # fmt: skip
    assert [lost for found in read.opaque.values() for lost in found] == []
    assert read.problems == []
