"""WRP004 in reports: the operations of a file are told of once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.findings.joining import joined
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

TWO_MASKS = """\
__global__ void k(float *s, int n) {
    if (threadIdx.x < n) {
        unsigned some = __activemask();
        float x = s[threadIdx.x];
        x += __shfl_down_sync(some, x, 2);
        x += __shfl_down_sync(some, x, 1);
        unsigned others = __activemask();
        s[threadIdx.x] = x + __shfl_xor_sync(others, x, 1);
    }
}
"""


def test_the_operations_of_a_file_are_told_of_once(tmp_path: Path) -> None:
    path = tmp_path / "masks.cu"
    path.write_text(TWO_MASKS, encoding="utf-8")
    found = check(collect_inputs([str(path)]), Settings(), (load_rules()["WRP004"],)).findings
    (told,) = joined(found)
    assert [each.span.line for each in found] == [5, 6, 8]
    assert told.text.endswith("; 2 more places")
    assert [place.span.line for place in told.places] == [6, 8]
