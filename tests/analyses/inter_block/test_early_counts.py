"""A block that counts itself done while some of its threads may not have stored yet."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.inter_block.early_counts import EarlyCount, early_counts

LATE = "for (int i = 0; i < n; i++) out[0] += data[i];"


def found(body: str, grid: tuple[int, int, int] = (8, 1, 1), threads: int = 64) -> list[EarlyCount]:
    text = f"""__global__ void k(int *data, unsigned *count, int *out, int n) {{
        __shared__ bool last; int t = threadIdx.x; {body} }}"""
    return list(early_counts(facts_of(text, (threads, 1, 1), grid)))


STORE = "data[blockIdx.x * 64 + t] = n;"
COUNT = f"if (t == 0) if (atomicAdd(count, 1) == gridDim.x - 1) {{ {LATE} }}"


@pytest.mark.parametrize(
    ("body", "early"),
    [
        (f"{STORE} __threadfence(); {COUNT}", True),
        (f"{STORE} __threadfence(); __syncthreads(); {COUNT}", False),
        (f"{STORE} __threadfence(); __syncwarp(); {COUNT}", True),  # the other warp
        (f"if (t == 0) {STORE} __threadfence(); {COUNT}", False),  # who stores counts
        (f"if (t < 32) {STORE} __syncwarp(); __threadfence(); {COUNT}", False),
        (f"if (t < 32) {STORE} __threadfence(); {COUNT}", True),  # another lane
        (f"{STORE} __threadfence(); if (t == 0) atomicAdd(count, 1);", False),  # nobody reads
        (f"__threadfence(); {COUNT} {STORE}", False),  # behind it
    ],
)
def test_a_barrier_between_the_data_and_the_count(body: str, *, early: bool) -> None:
    result = found(body)
    assert len(result) == early
    for each in result:
        assert each.item.name == "*data"
        assert each.counting == 0
        assert each.storing != 0


def test_a_grid_of_one_block_waits_for_nobody() -> None:
    assert found(f"{STORE} __threadfence(); {COUNT}", (1, 1, 1)) == []
