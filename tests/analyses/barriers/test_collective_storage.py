"""Storage of collectives that is used again before all threads are done with it."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.barriers.collective_storage import reused_storage

HEAD = """#include <cub/cub.cuh>
using Reduce = cub::BlockReduce<float, 128>;
__global__ void k(const float *in, float *out, int n) {
    __shared__ typename Reduce::TempStorage a, b;
    float x = in[threadIdx.x];
"""
ONE, OTHER = "x += Reduce(a).Sum(x);", "x += Reduce(b).Sum(x);"


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (ONE, 0),
        (f"{ONE} {ONE}", 1),
        (f"{ONE} __syncthreads(); {ONE}", 0),
        (f"{ONE} {OTHER}", 0),
        (f"{ONE} {OTHER} {ONE}", 0),  # the other one waits
        (f"{ONE} __syncwarp(); {ONE}", 1),
        (f"for (int i = 0; i < n; i++) {{ {ONE} }}", 1),  # its next iteration
        (f"for (int i = 0; i < n; i++) {{ {ONE} __syncthreads(); }}", 0),
        (f"if (n) {{ {ONE} }} else {{ {ONE} }}", 0),
        (f"if (n) {{ {ONE} }} {ONE}", 1),
        (f"{ONE} if (n) __syncthreads(); {ONE}", 0),  # one way has a barrier: perhaps the only one
        (f"{ONE} {ONE} {ONE}", 2),
    ],
)
def test_with_no_barrier_on_any_path(body: str, count: int) -> None:
    found = list(reused_storage(facts_of(f"{HEAD}{body} out[0] = x; }}", (128, 1, 1))))
    assert len(found) == count
    assert all(each.storage.name == "a" for each in found)


def test_a_block_of_one_warp_runs_in_step() -> None:
    text = f"{HEAD}{ONE} {ONE} out[0] = x; }}"
    assert not list(reused_storage(facts_of(text, (32, 1, 1))))
    assert list(reused_storage(facts_of(text, (33, 1, 1))))
