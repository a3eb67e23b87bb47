"""A barrier of the block orders the lanes of a warp, too: one missing barrier is one finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.findings.joining import joined
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

HALO = """__global__ void halo(const float *in, float *out, int n)
{{
    __shared__ float tile[264];
    int at = threadIdx.x + 4;
    tile[at] = in[threadIdx.x];
    if (threadIdx.x < 4) {{
        tile[at - 4] = in[0];
        {right};
    }}
    {barrier};
    float sum = 0.0f;
    for (int i = -4; i <= 4; ++i)
        sum += tile[at + i];
    out[threadIdx.x] = sum;
}}
void run(const float *in, float *out) {{ halo<<<1, {block}>>>(in, out, {block}); }}
"""


@pytest.mark.parametrize(
    ("barrier", "block", "codes"),
    [
        ("", 256, ["SYN002"]),
        ("", 32, ["WRP001"]),
        ("__syncwarp()", 256, ["SYN002"]),
        ("__syncthreads()", 256, []),
    ],
)
def test_a_missing_barrier(tmp_path: Path, barrier: str, block: int, codes: list[str]) -> None:
    file = tmp_path / "halo.cu"
    right = f"tile[at + {block}] = in[{block}]"
    file.write_text(HALO.format(right=right, barrier=barrier, block=block), encoding="utf-8")
    rules = [load_rules()[code] for code in ("SYN002", "WRP001")]
    report = check(collect_inputs([str(file)]), Settings(), rules)
    assert [each.rule.code for each in joined(report.findings)] == codes
