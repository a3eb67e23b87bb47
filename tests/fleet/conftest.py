"""Repositories of a few kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from git_command import git

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = """__global__ void rows(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i * STEP] = in[i];
}
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository of two commits: two rows apart, then none."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    for step in ("32", "1"):
        (folder / "rows.cu").write_text(KERNEL.replace("STEP", step))
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "-m", f"rows {step} apart")
    git(folder, "tag", "wide", "HEAD~1")
    return folder


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Folders of one kernel each."""
    found = []
    for number in range(6):
        folder = tmp_path / f"folder{number}"
        folder.mkdir()
        (folder / "rows.cu").write_text(KERNEL.replace("STEP", str(1 << number)))
        found.append(folder)
    return found
