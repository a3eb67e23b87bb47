"""What is advised for reductions whose active lanes thin out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("threads", "advised"),
    [(256, "s = blockDim.x / 2; s > 0; s /= 2"), (192, "n = blockDim.x; n > 1; n = (n + 1) / 2")],
)
def test_no_element_of_a_block_is_left_out(tmp_path: Path, threads: int, advised: str) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        "__global__ void k(float *out, const float *in) {\n"
        f"    __shared__ float d[{threads}];\n"
        "    unsigned t = threadIdx.x;\n"
        "    d[t] = in[t];\n"
        "    __syncthreads();\n"
        "    for (unsigned s = 1; s < blockDim.x; s *= 2) {\n"
        "        if (t % (2 * s) == 0 && t + s < blockDim.x) d[t] += d[t + s];\n"
        "        __syncthreads();\n"
        "    }\n"
        "    if (t == 0) out[0] = d[0];\n"
        "}\n"
        f"void h(float *p) {{ k<<<1, {threads}>>>(p, p + 4096); }}\n"
    )
    (found,) = check(collect_inputs([str(path)]), Settings(), (load_rules()["DIV001"],)).findings
    assert advised in found.fixes[0].title
