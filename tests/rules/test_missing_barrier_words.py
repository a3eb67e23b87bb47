"""What the findings on missing barriers say: where between the two accesses one is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

COPY = "__pipeline_memcpy_async(s + t, in + t, 4); __pipeline_commit();"
WAIT = "__pipeline_wait_prior(0);"


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        (f"{COPY} __syncthreads(); {WAIT} out[t] = s[255 - t];", "after the wait for the copy"),
        ("s[t] = in[t]; out[t] = s[255 - t];", "between them"),
        (
            "for (int i = 0; i < 4; i++) { s[t] = in[t]; __syncthreads(); out[t] += s[255 - t]; }",
            "between the iterations",
        ),
        (f"{COPY} {WAIT} __syncthreads(); out[t] = s[255 - t];", None),
    ],
)
def test_the_message_says_where_a_barrier_is_missing(
    tmp_path: Path, body: str, missing: str | None
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        "#include <cuda_pipeline.h>\n"
        "__global__ void __launch_bounds__(256) k(float *out, const float *in)\n"
        f"{{ __shared__ float s[256]; int t = threadIdx.x; {body} }}\n"
        "void h(float *p, float *q) { k<<<1, 256>>>(p, q); }\n"
    )
    rules = tuple(load_rules()[code] for code in ("SYN002", "SYN003"))
    found = check(collect_inputs([str(path)]), Settings(), rules).findings
    assert [each.text.rpartition("no barrier ")[2] for each in found] == [missing][: bool(missing)]
