"""Kernels beyond the size that the configuration gives: what is left out is said."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.cuda.read import CudaOptions, read_cuda
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

KERNEL = """\
__global__ void __launch_bounds__(256) k(int *out, const int *in) {
    __shared__ int tile[256][32];
    tile[threadIdx.x][0] = in[threadIdx.x];
    out[threadIdx.x] = tile[threadIdx.x ^ 128][0];
    if (threadIdx.x < 16) {
        __syncthreads();
    }
}
"""


@pytest.fixture
def size(tmp_path: Path) -> int:
    (tmp_path / "k.cu").write_text(KERNEL, encoding="utf-8")
    kernel = read_cuda(SourceText("k.cu", KERNEL), CudaOptions()).kernels[0]
    return sum(1 for _ in kernel.operations())


def _codes(warplint: Run, folder: Path, kernel_size: int) -> tuple[set[str], list[str]]:
    """The rules that speak, and why anything was not analysed."""
    (folder / "warplint.toml").write_text(f"kernel-size = {kernel_size}\n", encoding="utf-8")
    report = json.loads(warplint("check", "k.cu", "--format", "json").out)
    reasons = [each["reason"] for each in report["inputs"][0]["unanalysed_reasons"]]
    return {finding["rule"] for finding in report["findings"]}, reasons


def test_up_to_three_fifths_of_the_size_all_is_looked_for(
    warplint: Run, tmp_path: Path, size: int
) -> None:
    assert _codes(warplint, tmp_path, 2 * size) == ({"SYN001", "SYN002", "SHM001"}, [])


def test_up_to_the_size_no_blocks_are_run(warplint: Run, tmp_path: Path, size: int) -> None:
    codes, left_out = _codes(warplint, tmp_path, size)
    assert codes == {"SYN001", "SHM001"}
    reason = f"race search incomplete: more than {size * 3 // 5} operations (raise kernel-size)"
    assert left_out == [reason]


def test_beyond_it_costly_rules_are_not_applied(warplint: Run, tmp_path: Path, size: int) -> None:
    codes, left_out = _codes(warplint, tmp_path, size - 1)
    assert codes == {"SHM001"}
    reason = f"barriers and races not checked: too much work (raise kernel-size, now {size - 1})"
    assert left_out == [reason]


def test_a_kernel_that_was_not_checked_completely_is_no_clean_one(
    warplint: Run, tmp_path: Path, size: int
) -> None:
    (tmp_path / "warplint.toml").write_text(f"kernel-size = {size - 1}\n", encoding="utf-8")
    done = warplint("check", "k.cu", "--format", "json")
    assert done.code == 3
    (problem,) = json.loads(done.out)["inputs"][0]["problems"]
    assert problem["kernel"] == "k"
    assert problem["message"].startswith("kernel k not checked completely, by ")
    assert f"set kernel-size to more than {size - 1}" in problem["advice"]
