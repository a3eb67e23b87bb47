"""What is said of kernels that nothing can launch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.findings.finding import Severity
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = """__global__ void turned(float *out, const float *in) {
    __shared__ float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void other(float *out) { out[threadIdx.x] = 1.0f; }
"""


@pytest.mark.parametrize(
    ("mark", "host", "severity"),
    [
        ("static ", "other<<<1, 64>>>(p);", Severity.NOTE),
        ("static ", "turned<<<1, 64>>>(p, p); other<<<1, 64>>>(p);", Severity.ERROR),
        ("", "other<<<1, 64>>>(p);", Severity.ERROR),
    ],
)
def test_a_kernel_that_nothing_can_launch_has_notes_alone(
    tmp_path: Path, mark: str, host: str, severity: Severity
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(f"{mark}{KERNEL}void h(float *p) {{ {host} }}\n")
    (found,) = check(collect_inputs([str(path)]), Settings(), (load_rules()["SYN002"],)).findings
    assert found.severity is severity
    said = [fact for fact in found.evidence if fact.name == "unlaunched"]
    assert bool(said) is (severity is Severity.NOTE)
