"""Files are drawn of those in which an edit is offered."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from source_tree import bench_module

if TYPE_CHECKING:
    from pathlib import Path

fixes: Any = bench_module("fixes")
CONFLICT = """\
__global__ void transpose(float *data)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = data[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    data[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""


def test_files_without_an_edit_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "conflict.cu").write_text(CONFLICT, encoding="utf-8")
    (tmp_path / "nothing.cu").write_text("__global__ void none() {}\n", encoding="utf-8")
    options = argparse.Namespace(unsafe=True, select=None, block="32,32")
    assert fixes.offering(tmp_path, options) == [tmp_path / "deep" / "conflict.cu"]
