"""What a sum in memory costs depends on how often its loop goes round, and on the rest of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.findings.finding import Severity
from warplint.analyzer.findings.joining import joined
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

    from warplint.analyzer.findings.finding import Finding

SUM = "for (int k = 0; k < {}; ++k) out[i] += in[k * n + i];"
FEW = """for (int c = 0; c < 3; ++c) {
    float s = 0; for (int k = 0; k < 1000; ++k) s += in[k * n + i] * in[c * n + k];
    out[i] += s;
}"""

FORCES = """for (int k = 0; k < n; ++k) {
    out[i] += in[k]; low[i] -= in[k + 1]; high[i] += in[k + 2];
}"""


def found(folder: Path, body: str) -> Finding:
    text = f"""__global__ void k(const float *in, float *out, float *low, float *high, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {body}
}}
void run(float *in, float *out, float *low, float *high, int n) {{
    k<<<4096, 256>>>(in, out, low, high, n);
}}
"""
    (folder / "k.cu").write_text(text, encoding="utf-8")
    rules = (load_rules()["GLB008"],)
    (finding,) = joined(check(collect_inputs([str(folder)]), Settings(), rules).findings)
    return finding


@pytest.mark.parametrize(
    ("body", "severity"),
    [
        (SUM.format(1000), Severity.WARNING),
        (SUM.format("n"), Severity.WARNING),  # as often as any loop
        (FEW, Severity.NOTE),
    ],
)
def test_what_saves_next_to_nothing_is_a_note(
    tmp_path: Path, body: str, severity: Severity
) -> None:
    assert found(tmp_path, body).severity is severity


def test_the_gain_is_of_the_iterations_but_one(tmp_path: Path) -> None:
    gains = [found(tmp_path, SUM.format(trips)).gain for trips in (2, 4, 1000)]
    shares = [each.share for each in gains if each is not None]
    assert len(shares) == len(gains)
    assert shares == sorted(shares)
    assert 0.25 < shares[0] < shares[-1] < 0.7


def test_the_sums_of_one_loop_are_one_finding(tmp_path: Path) -> None:
    assert len(found(tmp_path, FORCES).places) == 2  # beside the first
