"""What the founding documents ask of a program, and the command that answers.

S0: Kirk and Hwu, chapter 4; S1: "CUDA Memory Model"; S2: notes on shared memory; S3: KAUST CS 380,
lecture 14; S4: Caltech CS 179, lecture 4. The number behind is the line of the document.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

TILED = """\
#define TILE_WIDTH 16
__global__ void multiply(float *Md, float *Nd, float *Pd, int Width)
{
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
    int tx = threadIdx.x, ty = threadIdx.y;
    int Row = blockIdx.y * TILE_WIDTH + ty, Col = blockIdx.x * TILE_WIDTH + tx;
    int Pvalue = 0;
    for (int m = 0; m < Width / TILE_WIDTH; ++m) {
        Mds[ty][tx] = Md[Row * Width + (m * TILE_WIDTH + tx)];
        Nds[ty][tx] = Nd[(m * TILE_WIDTH + ty) * Width + Col];
        __syncthreads();
        for (int k = 0; k < TILE_WIDTH; ++k) Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    Pd[Row * Width + Col] = Pvalue;
}
void run(float *a, float *b, float *c, int n)
{
    multiply<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
}
"""
HOST = """\
__constant__ float weights[64];
__constant__ float never[64];
__global__ void weigh(const float *__restrict__ in, const float *plain, float *out)
{
    out[threadIdx.x] = in[threadIdx.x] * weights[3] + plain[threadIdx.x] * never[2];
}
int main()
{
    float h[64];
    cudaMemcpyToSymbol(weights, h, 64);
    cudaFuncSetCacheConfig(weigh, cudaFuncCachePreferShared);
    cudaDeviceSetCacheConfig(cudaFuncCachePreferL1);
    return 0;
}
"""
HISTOGRAM = """\
__global__ void racy(const int *data, unsigned *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bins[data[i]]++;
}
__global__ void counted(const int *data, unsigned *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[data[i]], 1u);
}
"""


def lines(run: Run, tmp_path: Path, text: str, *words: str) -> list[str]:
    (tmp_path / "k.cu").write_text(text, encoding="utf-8")
    return run(*words, "k.cu").out.splitlines()


def findings(run: Run, tmp_path: Path, text: str, *words: str) -> dict[str, list[int]]:
    (tmp_path / "k.cu").write_text(text, encoding="utf-8")
    out = run("check", "k.cu", "--isolated", "--format", "json", *words).out
    found: dict[str, list[int]] = {}
    for each in json.loads(out)["findings"]:
        found.setdefault(each["rule"], []).append(each["line"])
    return found


@pytest.mark.parametrize("array", ["Mds", "Nds"])
def test_s0_603_s1_160_how_often_a_shared_value_is_used(
    array: str, warplint: Run, tmp_path: Path
) -> None:
    shown = lines(warplint, tmp_path, TILED, "inspect", "accesses", "--isolated")
    assert f"{array}: a stored element is loaded 16 times, by 16 threads" in shown


def test_s2_47_staging_without_reuse(warplint: Run, tmp_path: Path) -> None:
    text = (
        "__global__ void copy(const float *in, float *out) { __shared__ float s[64];\n"
        "s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); out[threadIdx.x] = s[threadIdx.x]; }\n"
    )
    shown = lines(warplint, tmp_path, text, "inspect", "accesses", "--isolated", "--block", "64")
    assert "s: a stored element is loaded 1 time, by 1 thread" in shown


def test_s0_684_an_integer_accumulates_floats(warplint: Run, tmp_path: Path) -> None:
    assert findings(warplint, tmp_path, TILED)["NUM004"] == [13]


def test_s0_688_s3_57_a_division_of_the_width_truncates(warplint: Run, tmp_path: Path) -> None:
    assert "LNC003" not in findings(warplint, tmp_path, TILED)  # a multiple by agreement, perhaps
    assert findings(warplint, tmp_path, TILED, "--show-possible")["LNC003"] == [9]
    stated = TILED.replace("(a, b, c, n)", "(a, b, c, 1000)")
    assert findings(warplint, tmp_path, stated)["LNC003"] == [9]


def test_s3_351_s3_704_calls_for_the_cache_that_are_old(warplint: Run, tmp_path: Path) -> None:
    assert "API003" not in findings(warplint, tmp_path, HOST)  # hints that still work
    old = findings(warplint, tmp_path, HOST, "--show-possible")
    assert old["API003"] == [11]  # and one more place


def test_s1_90_the_size_of_a_symbol(warplint: Run, tmp_path: Path) -> None:
    assert findings(warplint, tmp_path, HOST)["API002"] == [10]


def test_s4_171_a_histogram_in_global_memory(warplint: Run, tmp_path: Path) -> None:
    found = findings(warplint, tmp_path, HISTOGRAM)
    assert found["SYN007"] == [4]
    shown = lines(warplint, tmp_path, HISTOGRAM, "inspect", "accesses", "--isolated")
    (atomic,) = [line for line in shown if " atomic " in line]
    assert "[1 to 32 sectors per warp, by data; ideal 4]" in atomic


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("weights", "set on line 10"),
        ("never", "nothing in this file sets it"),
        ("in", "loads use the read-only path (ld.global.nc)"),
        ("plain", "loads do not use the read-only path: no `__restrict__`, a store may change it"),
    ],
)
def test_s1_90_s2_42_s4_380_what_sets_constants_and_which_loads_are_read_only(
    name: str, why: str, warplint: Run, tmp_path: Path
) -> None:
    shown = lines(warplint, tmp_path, HOST, "inspect", "memory-spaces", "--isolated")
    (row,) = [line for line in shown if line.startswith(f"{name} ")]
    assert row.endswith(why)
