"""What SHM003 says of the barriers of an array that no two threads share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

RULES = (load_rules()["SHM003"],)


@pytest.mark.parametrize(
    ("other", "said"),
    [("", True), ("__shared__ int n; if (!threadIdx.x) n = p[1];", False)],
    ids=["alone", "beside another"],
)
def test_a_barrier_that_others_may_need(tmp_path: Path, other: str, said: bool) -> None:
    path = tmp_path / "k.cu"
    used = " + n" if other else ""
    path.write_text(
        f"""__global__ void k(int *p) {{
            __shared__ int own[64]; {other}
            own[threadIdx.x] = p[threadIdx.x];
            __syncthreads();
            p[threadIdx.x] = own[threadIdx.x]{used};
        }}
        void h(int *p) {{ k<<<1, 64>>>(p); }}"""
    )
    (found,) = check(collect_inputs([str(path)]), Settings(), RULES).findings
    assert found.text.endswith("without barrier") is said
    assert any("barrier" in each.label for each in found.related) is said
