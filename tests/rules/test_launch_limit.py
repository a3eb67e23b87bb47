"""What is said of launches that fail: how often, and what is left to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
UNCHECKED = "choose a valid shape, and check `cudaGetLastError()` after launches"


@pytest.mark.parametrize(
    ("host", "often", "title"),
    [
        ("k<<<1, 2048>>>(a);", "always", UNCHECKED),
        (
            "k<<<1, 2048>>>(a); if (cudaGetLastError() != cudaSuccess) abort();",
            "always",
            "choose a valid shape",
        ),
        ("for (int n = 64; n > 1; n /= 8) k<<<n / 8, 8>>>(a);", "always", None),
        ("for (int n : {5, 64}) k<<<n / 8, 8>>>(a);", "sometimes", UNCHECKED),
    ],
)
def test_what_fails_is_said_with_what_is_to_be_done(
    tmp_path: Path, host: str, often: str, title: str | None
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(f"{KERNEL}void h(int *a) {{ {host} }}\n")
    found = check(collect_inputs([str(path)]), Settings(), (load_rules()["LNC001"],)).findings
    if title is None:
        assert not found
    else:
        (only,) = found
        assert f" {often} fails: " in only.text
        assert [fix.title for fix in only.fixes] == [title]
