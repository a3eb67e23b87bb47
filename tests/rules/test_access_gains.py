"""What the gain of an uncoalesced access rests on, and when none is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

    from warplint.analyzer.findings.finding import Finding

START = """__global__ void k(const float *a, const float *b, float *out, int w, int h) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
"""
#: Rows of both matrices are read: with x and y swapped one is read as the other was.
GRAM = """    for (int i = 0; i < LENGTH; i++) sum += a[row * 65536 + i] * b[col * 65536 + i];
    out[row * 1024 + col] = sum;
}
"""
PRODUCT = GRAM.replace("b[col * 65536 + i]", "b[i * 1024 + col]")
LAUNCH = """void run(float *a, float *b, float *out, int n) {
    int w = 256, h = 256; k<<<dim3(64, 64), dim3(16, 16)>>>(a, b, out, w, WHO);
}"""


def stores(folder: Path, body: str, length: str, who: str = "h") -> list[Finding]:
    """What is found of the store, or of the load in the loop."""
    text = START + body.replace("LENGTH", length) + LAUNCH.replace("WHO", who)
    (folder / "k.cu").write_text(text, encoding="utf-8")
    found = check(collect_inputs([str(folder)]), Settings(), (load_rules()["GLB001"],)).findings
    return [each for each in found if each.array == "out"]


@pytest.mark.parametrize("length", ["w * h", "65536", "w * w"])
def test_a_store_after_a_long_loop_is_little(tmp_path: Path, length: str) -> None:
    (finding,) = stores(tmp_path, GRAM, length)
    assert finding.gain is not None
    assert finding.gain.time < 0.01


def test_nothing_is_told_that_rests_on_an_unknown_trip_count(tmp_path: Path) -> None:
    (finding,) = stores(tmp_path, GRAM, "w * h", "n")
    assert finding.gain is None


def test_what_swapping_saves_in_a_loop_counts_for_it(tmp_path: Path) -> None:
    (finding,) = stores(tmp_path, PRODUCT, "w * h")
    assert finding.gain is not None
    assert finding.gain.time > 0.5
    assert "swap" in finding.fixes[0].title


SUMS = """__global__ void k(const float *a, float *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 256; j++) ADD
}
void run(const float *a, float *total) { k<<<1, 256>>>(a, total); }"""


@pytest.mark.parametrize(
    ("add", "told"),
    [
        ("atomicAdd(total, a[i * 256 + j]);", False),  # one after the other
        ("atomicAdd(total + i, a[i * 256 + j]);", True),
        ("total[j * 256 + i] = a[i * 256 + j];", True),
    ],
)
def test_nothing_is_told_where_atomics_wait_for_each_other(
    tmp_path: Path, add: str, told: bool
) -> None:
    (tmp_path / "k.cu").write_text(SUMS.replace("ADD", add), encoding="utf-8")
    found = check(collect_inputs([str(tmp_path)]), Settings(), (load_rules()["GLB001"],)).findings
    (finding,) = [each for each in found if each.array == "a"]
    assert (finding.gain is not None) is told


def test_swapping_counts_once_for_all_arrays(tmp_path: Path) -> None:
    body = (
        "    out[row * 1024 + col] = sum;\n    const_cast<float *>(a)[row * 1024 + col] = sum;\n}\n"
    )
    (tmp_path / "k.cu").write_text(START + body + LAUNCH.replace("WHO", "h"), encoding="utf-8")
    found = check(collect_inputs([str(tmp_path)]), Settings(), (load_rules()["GLB001"],)).findings
    assert [each.gain is not None for each in found] == [True, False]
    assert len({each.severity for each in found}) == 1
