"""Updates at an index from memory: whose rows may be the same."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.doubts.updates.unique_indices import DOUBT
from warplint.analyzer.analyses.races.scattered_updates import scattered_updates

ROWS = """__global__ void k(float *out, const float *in, const int *row, int rows, int n) {
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        float *to = out + @ * n;
        for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] += in[r * n + i];
    }
}"""


@pytest.mark.parametrize(
    ("row", "grid", "doubted", "count"),
    [
        ("row[r]", None, True, 1),
        ("row[r]", None, False, 0),  # only on request
        ("row[r]", (1, 1, 1), True, 0),  # one block after the other
        ("r", None, True, 0),  # each block has its own
        ("row[0]", None, True, 0),  # known to be one: two blocks meet in a run
    ],
)
def test_rows_from_memory_may_be_the_same(
    row: str, grid: tuple[int, int, int] | None, doubted: bool, count: int
) -> None:
    facts = facts_of(ROWS.replace("@", row), (256, 1, 1), grid, doubted=doubted)
    assert [each.doubts for each in scattered_updates(facts)] == [(DOUBT,)] * count
