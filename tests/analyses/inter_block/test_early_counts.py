"""Blocks that count themselves done too early."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.inter_block.early_counts import EarlyCount, early_counts

STORE = "data[b * 64 + t] = n;"
COUNT = "if (t == 0) last = atomicAdd(flag, 1) == gridDim.x - 1;"
READ = "if (last) for (int i = t; i < n; i += 64) out[t] += data[i];"
LAST = f"__syncthreads(); {READ}"


def early(
    body: str, block: tuple[int, int, int] = (64, 1, 1), grid: tuple[int, int, int] | None = None
) -> list[EarlyCount]:
    text = f"""__global__ void k(int *data, unsigned *flag, int *out, const int *in, int n) {{
    __shared__ int last; __shared__ int s[64]; int t = threadIdx.x, b = blockIdx.x; {body} }}"""
    return list(early_counts(facts_of(text, block, grid or (8, 1, 1))))


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f"{STORE} __threadfence(); {COUNT} {LAST}", True),  # which waits for no other thread
        (f"{STORE} __threadfence(); __syncthreads(); {COUNT} {LAST}", False),
        (f"{STORE} __syncthreads(); {COUNT} {LAST}", False),  # of fences others report
        (f"__syncthreads(); {STORE} {COUNT} {LAST}", True),  # a barrier before both
        (f"{STORE} __syncwarp(); {COUNT} {LAST}", True),  # of one warp alone
        (f"{COUNT} {STORE} {LAST}", False),  # afterwards: no path leads to the count
        (f"atomicAdd(data, n); {COUNT} __syncthreads(); if (last) out[0] = data[0];", True),
        (f"out[t] = atomicAdd(data, n); {COUNT} __syncthreads(); if (last) s[0] = data[0];", False),
        (f"if (t > 40) {STORE} {COUNT} {LAST}", True),
        (f"if (in[t]) {STORE} {COUNT} {LAST}", True),  # data may let them come
        (f"if (t == 0) {STORE} {COUNT} {LAST}", False),  # the one that counts
        (f"if (t > 99) {STORE} {COUNT} {LAST}", False),  # nobody
        (f"data[t] = n; {COUNT} {LAST}", False),  # one place for all blocks
        (f"s[t] = n; {COUNT} __syncthreads(); if (last) out[t] = s[t];", False),  # not global
        (f"{STORE} {COUNT} __syncthreads(); if (last) out[t] = in[t];", False),  # nobody reads it
        (f"{STORE} if (t == 0) atomicAdd(flag, 1);", False),  # there is no last block
        (f"{STORE} {COUNT.replace('atomicAdd', 'atomicMax')} {LAST}", False),
        (f"{STORE} if (in[0]) {{ {COUNT} }} {LAST}", True),
        (f"{STORE} if (in[t]) {{ {COUNT} }} {LAST}", False),  # data decides who counts
        # Where every thread counts, nobody is waited for but by itself.
        (
            f"{STORE} if (atomicAdd(flag, 1) == n) for (int i = 0; i < n; i++) out[i] = data[i];",
            False,
        ),
    ],
)
def test_stores_that_the_count_does_not_wait_for(body: str, *, found: bool) -> None:
    assert bool(early(body)) is found


def test_the_threads_and_accesses_are_named() -> None:
    (found,) = early(f"if (t > 40) {STORE} if (t == 3) {COUNT.removeprefix('if (t == 0)')} {LAST}")
    assert (found.storing, found.counting) == (63, 3)
    assert (found.data.name, found.item.name) == ("data[b * 64 + t]", "*data")
    assert found.count.name == "atomicAdd(flag, 1)"
    assert found.reader.reads
    assert found.reader.name == "data[i]"


@pytest.mark.parametrize(
    ("between", "found"),
    [
        ("", True),
        ("__threadfence();", True),
        ("__syncwarp();", False),
        ("n += __shfl_down_sync(~0u, n, 1);", False),  # an exchange that all lanes make
        ("__syncthreads();", False),
    ],
)
def test_lanes_of_the_warp_that_counts(between: str, *, found: bool) -> None:
    warp = (32, 1, 1)
    assert bool(early(f"{STORE} {between} {COUNT} {LAST}", warp)) is found


def test_a_grid_of_one_block_has_nobody_to_tell() -> None:
    body = f"{STORE} {COUNT} {LAST}"
    assert early(body, grid=(8, 1, 1))
    assert not early(body, grid=(1, 1, 1))


def test_one_report_for_each_count() -> None:
    twice = f"{STORE} out[b * 64 + t] = n; {COUNT} __syncthreads(); if (last) in_out(data, out);"
    body = twice.replace("in_out(data, out);", "s[t] = data[t] + out[t];")
    assert len(early(body)) == 1
    assert len(early(body + body.replace("(flag,", "(flag + 1,"))) == 2
