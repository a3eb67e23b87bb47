"""Shared memory of other blocks that no barrier of the cluster orders."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.inter_block.remote_accesses import (
    Lack,
    Unordered,
    unordered_remote_accesses,
)

START = """
    __shared__ float part[64];
    __shared__ float one;
    int t = threadIdx.x;
    cg::cluster_group cluster = cg::this_cluster();
    float *other = cluster.map_shared_rank(part, cluster.block_rank() ^ 1);
"""


def unordered(body: str, attributes: str = "") -> list[Unordered]:
    facts = facts_of(
        f"namespace cg = cooperative_groups;\n"
        f"__global__ void {attributes} k(float *out, int n) {{ {START} {body} }}",
        block=(64, 1, 1),
    )
    return list(unordered_remote_accesses(facts))


SYNC = "cluster.sync();"


@pytest.mark.parametrize(
    ("body", "lack", "later"),
    [
        (f"part[t] = n; {SYNC} out[t] = other[t]; {SYNC}", None, False),
        (f"part[t] = n; out[t] = other[t]; {SYNC}", Lack.BETWEEN, False),
        (f"out[t] = other[t]; {SYNC}", Lack.BEFORE, False),
        (f"part[t] = n; {SYNC} out[t] = other[t];", Lack.AFTER, False),
        (f"part[t] = n; {SYNC} if (n) {{ out[t] = other[t]; return; }} {SYNC}", Lack.AFTER, False),
        (f"part[t] = n; {SYNC} out[t] = other[t]; if (n) {SYNC}", None, False),  # perhaps meant
        (f"for (int i = 0; i < n; i++) {{ part[t] = i; {SYNC} out[t] += other[t]; }} {SYNC}",
         Lack.BETWEEN, True),
        (f"for (int i = 0; i < n; i++) {{ {SYNC} part[t] = i; {SYNC} out[t] += other[t]; }} {SYNC}",
         None, False),
        (f"for (int i = 0; i < n; i++) {{ {SYNC} out[t] += other[t]; {SYNC} part[t] = i; }} {SYNC}",
         None, False),
        (f"{SYNC} if (t == 0) one = n; out[t] = *cluster.map_shared_rank(&one, 0); {SYNC}",
         Lack.BETWEEN, False),
        # Threads with the same index make one of them only.
        (f"{SYNC} if (t < 32) part[t] = n; else out[t] = other[t]; {SYNC}", None, False),
        # Which place, or which block, data says.
        (f"{SYNC} part[(int)out[t]] = n; out[t] = other[(int)out[t]]; {SYNC}", None, False),
        (f"{SYNC} if (out[t] > 0) one = n; out[t] = *cluster.map_shared_rank(&one, 0); {SYNC}",
         None, False),
        (f"{SYNC} if (blockIdx.x == 0) one = n; out[t] = *cluster.map_shared_rank(&one, 0); {SYNC}",
         None, False),
        # Neither writes, both are atomic, both store the same.
        (f"{SYNC} out[t] = part[t] + other[t]; {SYNC}", None, False),
        (f"{SYNC} atomicAdd(&part[t], 1); atomicAdd(&other[t], 1); {SYNC}", None, False),
        (f"{SYNC} part[t] = 1; other[t] = 1; {SYNC}", None, False),
    ],
)  # fmt: skip
def test_which_barrier_is_missing(body: str, lack: Lack | None, later: bool) -> None:
    found = unordered(body)
    assert [each.lack for each in found] == ([] if lack is None else [lack])
    assert [each.later for each in found] == ([] if lack is None else [later])
    assert all(each.item.name in ("part", "one") for each in found)


def test_a_cluster_of_one_block_waits_for_nobody() -> None:
    assert unordered("out[t] = other[t];", "__cluster_dims__(2, 1, 1)")
    assert not unordered("out[t] = other[t];", "__cluster_dims__(1, 1, 1)")
