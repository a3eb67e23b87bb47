"""How races speak of data that was chosen as an example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.rules import load_rules
from warplint.rules._shared.races import said_data

if TYPE_CHECKING:
    from pathlib import Path


def test_of_negative_data_the_sign_alone_is_said() -> None:
    said = [said_data("next", number) for number in (4096, 0, -1, -4096)]
    assert said == ["next = 4096", "next = 0", "next = -1", "next < 0"]


BYTES = """template <typename T> __global__ void k(const T *in, T *out) {
    extern __shared__ unsigned char bytes[];
    T *s = reinterpret_cast<T *>(bytes);
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[255 - threadIdx.x];
}
void run(const Half *in, Half *out) { k<<<1, 256, 1024>>>(in, out); }"""
ELEMENTS = BYTES.replace("Half", "float").replace("bytes", "floats")


def test_no_place_in_bytes_for_elements_of_an_unknown_size(tmp_path: Path) -> None:
    said: list[str] = []
    rules = (load_rules()["SYN002"],)
    for text in (BYTES, ELEMENTS):
        path = tmp_path / "k.cu"
        path.write_text(text, encoding="utf-8")
        findings = check(collect_inputs([str(path)]), Settings(), rules).findings
        said += [each.text for each in findings]
    assert len(said) == 2
    assert "one element of bytes" in said[0]
    assert "floats at byte" in said[1] or "floats[" in said[1]


OWN = """__global__ void k(const float *rated, float *q, int n) {
    if (rated[threadIdx.x] > 0)
        q[0] += rated[threadIdx.x];
}
void run(const float *rated, float *q) { k<<<1, 256>>>(rated, q, 4); }"""
ELSE = OWN.replace("> 0)", "> 0) return; else")
LONG = OWN.replace("> 0)", "> 0.001f * (2 * blockDim.x + 1) * gridDim.x)")


@pytest.mark.parametrize(
    ("text", "assumed"),
    [
        (OWN, "`rated[threadIdx.x] > 0` is true for both threads"),
        (ELSE, "`rated[threadIdx.x] > 0` is false for both threads"),
        (LONG, "the condition on line 2 is true for both threads"),
        (OWN.replace("if (rated[threadIdx.x] > 0)", ""), None),
    ],
)
def test_what_lets_the_two_threads_come_is_said(
    tmp_path: Path, text: str, assumed: str | None
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(text, encoding="utf-8")
    rules = (load_rules()["SYN007"],)
    (finding,) = check(collect_inputs([str(path)]), Settings(), rules).findings
    said = [each.text for each in finding.assumptions if each.name == "condition"]
    assert said == ([] if assumed is None else [assumed])
