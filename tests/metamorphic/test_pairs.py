"""Pairs of kernels that differ in one name, one comment or one macro: the same findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

FLAG = """
__global__ void hand_over(volatile int *NAME, int *data, int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) { data[0] = 42; NAME[0] = 1; }
    if (blockIdx.x == 1 && threadIdx.x == 0) { while (NAME[0] == 0) { } out[0] = data[0]; }
}
"""
WIDTH = """
__global__ void k(float *out, int NAME)
{
    float v = out[threadIdx.x];
    v += __shfl_down_sync(0xffffffff, v, 1 + 0 * NAME, 24);
    out[threadIdx.x] = v;
}
"""
SUMS = """
__global__ void k(float *NAME, const float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++) NAME[i] += a[k];
}
"""
SIZE = """
__global__ void k(int *out, int NAME) {
    __shared__ int s[256];
    if (threadIdx.x < NAME) {
        s[threadIdx.x] = out[threadIdx.x];
        __syncthreads();
        out[threadIdx.x] = s[threadIdx.x ^ 1];
    }
}
"""
CLASS = """
struct NAME { int a; };
__global__ void k(float *out, NAME unused)
{
    __shared__ float words[256];
    int t = threadIdx.x;
    words[t] = out[t];
    __syncthreads();
    NAME x = unused;
    out[t] = words[t] + x.a;
}
"""
ARRAYS = """
#define COUNTS counts
__global__ void two(const float *in, float *out)
{
    extern __shared__ float sums[];
    extern __shared__ int counts[];
    sums[threadIdx.x] = in[threadIdx.x];
    NAME[threadIdx.x] = 1;
    out[threadIdx.x] = sums[threadIdx.x] / NAME[threadIdx.x];
}
"""
FEW_WARPS = """
__global__ void smooth(float *out, const float *in, int n)
{
    __shared__ float tile[11000];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = threadIdx.x; k < 11000; k += blockDim.x) tile[k] = in[k];
    __syncthreads();
    if (i < n) out[i] = NAME(tile[i % 11000]);
}
void run(float *out, const float *in, int n) { smooth<<<4096, 64>>>(out, in, n); }
"""
LEGACY = """
__global__ void k(float *out)
{
    float v = out[threadIdx.x];
    v += __shfl_down(v, 1);  NAME
    out[threadIdx.x] = v;
}
"""
LARGE = """
__global__ void fill(float *out)
{
    extern __shared__ float tile[];
    tile[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[255 - threadIdx.x];
}
void run(float *out, int count) { fill<<<4, 256, 60000>>>(out); }  NAME
"""
OWN_FUNCTION = """
__device__ void NAME(int *p, int v) { p[0] = p[0] + v; }
__global__ void k(int *total) { NAME(total, 1); }
"""
OWN_CLASS = """
template <class T> struct NAME { T *kept; __device__ void sync() const {} };
__global__ void k(float *out)
{
    __shared__ float s[256];
    NAME<float> all{s};
    s[threadIdx.x] = out[threadIdx.x];
    all.sync();
    out[threadIdx.x] = s[255 - threadIdx.x];
}
"""
ORDER = """
#include <cuda/atomic>
__global__ void k(cuda::atomic<int, cuda::thread_scope_device> *NAME, int *data, int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        data[0] = 42;
        NAME->store(1, cuda::memory_order_relaxed);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (NAME->load(cuda::memory_order_relaxed) == 0) { }
        out[0] = data[0];
    }
}
"""


@pytest.mark.parametrize(
    ("text", "name", "trap", "code"),
    [
        (FLAG, "ready", "released", "SYN009"),
        (FLAG, "ready", "seq_cst", "SYN009"),
        (WIDTH, "step", "chasm", "WRP002"),
        (SUMS, "c", "unrestricted", "GLB008"),
        (SIZE, "rows", "rows_padded", "SYN001"),
        (SIZE, "rows", "nRoundedTo64", "SYN001"),
        (CLASS, "list_t", "fragment_list", "SYN005"),
        (CLASS, "list_t", "fragment", "SYN005"),
        (ARRAYS, "counts", "COUNTS", "SHM008"),
        (FEW_WARPS, "expf", "lgammaf", "OCC002"),
        (LEGACY, "", "// not for hip/hip_runtime.h", "WRP005"),
        (LEGACY, "", "/* #include <hip/hip_runtime.h> */", "WRP005"),
        (LARGE, "", "// no cudaFuncAttributeMaxDynamicSharedMemorySize", "SHM007"),
        (LARGE, "", 'const char *why = "sharedMemPerBlock";', "SHM007"),
        (OWN_FUNCTION, "increase", "atomicAdd", "SYN007"),
        (OWN_FUNCTION, "increase", "atomicCount", "SYN007"),
        (OWN_CLASS, "Everybody", "thread_block", "SYN002"),
        (OWN_CLASS, "Everybody", "BlockReduce", "SYN002"),
        (ORDER, "flag", "memory_order_release_flag", "SYN009"),
    ],
)
def test_a_name_hides_nothing(text: str, name: str, trap: str, code: str, tmp_path: Path) -> None:
    plain = found(text.replace("NAME", name), tmp_path / "plain")
    assert code in plain
    assert found(text.replace("NAME", trap), tmp_path / "trap") == plain


def found(text: str, folder: Path) -> list[str]:
    """The codes of the findings, in order."""
    folder.mkdir()
    path = folder / "file.cu"
    path.write_text(text, encoding="utf-8")
    rules = [rule for rule in load_rules().values() if rule.default]
    settings = Settings() if "<<<" in text else Settings(block=(256, 1, 1))
    result = check(collect_inputs([str(path)]), settings, rules)
    return sorted(finding.rule.code for finding in result.findings)
