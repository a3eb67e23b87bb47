"""What floats that are computed as doubles cost depends on the units that the GPU has for them."""

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

    from warplint.analyzer.findings.finding import Finding

ONCE = "out[i] = in[i] * 0.1;"
OFTEN = "float s = in[i]; for (int k = 0; k < 400; ++k) s = s * 0.1 + k; out[i] = s;"
ROOTS = "float s = in[i]; for (int k = 0; k < 400; ++k) s = sqrt(s + 0.1); out[i] = s;"


def found(folder: Path, body: str, arch: int) -> Finding:
    text = f"""__global__ void k(const float *in, float *out) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {body}
}}
void run(float *in, float *out) {{ k<<<4096, 256>>>(in, out); }}
"""
    (folder / "k.cu").write_text(text, encoding="utf-8")
    rules = tuple(load_rules()[code] for code in ("NUM001", "NUM002"))
    (finding,) = check(collect_inputs([str(folder)]), Settings(arch=arch), rules).findings
    return finding


@pytest.mark.parametrize(
    ("body", "arch", "severity"),
    [
        (ONCE, 90, Severity.NOTE),  # memory bounds it, and half of the units are for doubles
        (ONCE, 86, Severity.WARNING),  # one operation in the time of 64
        (OFTEN, 90, Severity.WARNING),
        (ROOTS, 90, Severity.WARNING),
        (ONCE, 100, Severity.WARNING),  # nobody says how fast it is
    ],
)
def test_what_saves_next_to_nothing_is_a_note(
    tmp_path: Path, body: str, arch: int, severity: Severity
) -> None:
    assert found(tmp_path, body, arch).severity is severity


def test_the_gain_is_of_the_operations_on_doubles(tmp_path: Path) -> None:
    gain = found(tmp_path, OFTEN, 90).gain
    assert gain is not None
    assert gain.resource == "operations on doubles"
    assert (gain.share, gain.time > 0.2) == (1.0, True)
    assert found(tmp_path, ONCE, 100).gain is None


def test_what_the_advice_leaves_is_not_gained(tmp_path: Path) -> None:
    meant = found(tmp_path, f"{OFTEN} double d = s; out[i] = d / 0.3;", 90).gain
    assert meant is not None
    assert 0.9 < meant.share < 1.0
