"""Work per access: the matrix products of the CUDA course notes, and what cannot be counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.analyses.pointers.work import hot_work
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.file_check import facts_of
from warplint.analyzer.engine.inputs import InputFile
from warplint.analyzer.engine.reading import read_input
from warplint.analyzer.findings.rule import Input

if TYPE_CHECKING:
    from pathlib import Path

    from warplint.analyzer.analyses.pointers.work import Work

NAIVE = """\
__global__ void naive(const float *Md, const float *Nd, float *Pd, int Width)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < Width; ++k) sum += Md[row * Width + k] * Nd[k * Width + col];
    Pd[row * Width + col] = sum;
}
"""
TILED = """\
template <int TILE>
__global__ void tiled(const float *Md, const float *Nd, float *Pd, int Width)
{
    __shared__ float Mds[TILE][TILE], Nds[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int m = 0; m < Width / TILE; ++m) {
        Mds[ty][tx] = Md[row * Width + m * TILE + tx];
        Nds[ty][tx] = Nd[(m * TILE + ty) * Width + col];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    Pd[row * Width + col] = sum;
}
"""


def work(folder: Path, text: str) -> Work | None:
    """The work of the only kernel of a file."""
    path = folder / "k.cu"
    path.write_text(text, encoding="utf-8")
    module = read_input(InputFile(str(path), Input.CUDA), Settings()).module
    assert module is not None
    (kernel,) = module.kernels
    return hot_work(facts_of(kernel, module, Settings()))


def test_the_naive_product_does_one_operation_for_each_access(tmp_path: Path) -> None:
    found = work(tmp_path, NAIVE)
    assert found is not None
    assert (found.cgma, found.per_byte, found.per_shared_access) == (1.0, 0.25, None)


@pytest.mark.parametrize("tile", [2, 16, 32])
def test_tiles_multiply_the_work_by_their_width(tmp_path: Path, tile: int) -> None:
    launch = f"void host(float *p) {{ tiled<{tile}><<<1, dim3({tile}, {tile})>>>(p, p, p, 64); }}"
    found = work(tmp_path, TILED + launch)
    assert found is not None
    assert found.cgma == tile
    assert found.global_accesses == 2
    assert found.shared_accesses == 2 + 2 * tile


def test_without_a_loop_the_whole_kernel_counts(tmp_path: Path) -> None:
    text = (
        "__global__ void saxpy(const float *x, float *y, float a) {\n"
        "    int i = threadIdx.x;\n    y[i] = a * x[i] + y[i];\n}\n"
    )
    found = work(tmp_path, text)
    assert found is not None
    assert (found.flops, found.global_accesses, found.global_bytes) == (2, 3, 12)
    assert found.line is None


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; ++i) p[i] = 0;",  # no arithmetic
        "__shared__ float s; for (int i = 0; i < n; ++i) s += 1.0f; p[0] = s;",  # only at the end
    ],
)
def test_what_has_no_ratio(tmp_path: Path, body: str) -> None:
    assert work(tmp_path, f"__global__ void k(float *p, int n) {{ {body} }}\n") is None
