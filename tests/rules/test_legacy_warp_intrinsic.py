"""Files for AMD, which has no other shuffles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = "__global__ void k(int *s) { s[threadIdx.x] += __shfl_down(s[threadIdx.x], 16); }\n"


@pytest.mark.parametrize(
    ("folder", "header", "found"),
    [
        ("reduce-cuda", "", 1),
        ("ship", "", 1),
        ("reduce-hip", "", 0),
        ("HIP", "", 0),
        ("rocm_kernels", "", 0),
        ("reduce", "#include <hip/hip_runtime.h>\n", 0),
    ],
)
def test_files_for_another_machine(tmp_path: Path, folder: str, header: str, found: int) -> None:
    path = tmp_path / folder / "kernels.cu"
    path.parent.mkdir()
    path.write_text(header + KERNEL, encoding="utf-8")
    rule = load_rules()["WRP005"]
    result = check(collect_inputs([str(path)]), Settings(), (rule,))
    assert len(result.findings) == found
