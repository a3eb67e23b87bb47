"""Bins that all blocks count in: with block-scope atomics, or while a block writes them."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.races.bins_of_blocks import block_bins, set_bins

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def bins(body: str, grid: tuple[int, int, int] | None = None) -> list[str]:
    text = f"""__global__ void k(const int *in, const unsigned char *bytes, int *out, int n) {{
        {INDEX} {body} }}"""
    return [each.item.name for each in block_bins(facts_of(text, (64, 1, 1), grid))]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("atomicAdd_block(&out[in[i] & 255], 1);", True),
        ("atomicAdd_block(&out[bytes[i]], 1);", True),
        ("atomicAdd(&out[in[i] & 255], 1);", False),  # of the device
        ("atomicAdd_block(&out[in[i]], 1);", False),  # perhaps parted between blocks
        ("atomicAdd_block(&out[blockIdx.x * 256 + (in[i] & 255)], 1);", False),  # its own
        ("atomicAdd_block(&out[i], 1);", False),
        ("__shared__ int s[256]; atomicAdd_block(&s[in[i] & 255], 1);", False),
    ],
)
def test_which_operations(body: str, *, found: bool) -> None:
    assert bins(body) == (["*out"] if found else [])


def test_kernels_of_one_block() -> None:
    assert bins("atomicAdd_block(&out[in[i] & 255], 1);", (1, 1, 1)) == []
    assert bins("atomicAdd_block(&out[in[i] & 255], 1);", (2, 1, 1)) == ["*out"]


def test_a_kernel_that_never_asks_for_its_block_is_for_one() -> None:
    text = """__global__ void k(const int *in, int *out) {
        atomicAdd_block(&out[in[threadIdx.x] & 255], 1); }"""
    assert not list(block_bins(facts_of(text, (64, 1, 1))))


COUNT = "atomicAdd(&out[bytes[i]], 1);"


def written(body: str, grid: tuple[int, int, int] | None = None) -> list[str]:
    text = f"""__global__ void k(const int *in, const unsigned char *bytes, int *out, int n) {{
        int t = threadIdx.x; {INDEX} {body} }}"""
    return [each.item.name for each in set_bins(facts_of(text, (64, 1, 1), grid))]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f"if (i < 256) out[i] = 0; __syncthreads(); {COUNT}", True),
        (f"if (blockIdx.x == 0) out[t] = 0; {COUNT}", True),
        (f"out[t] = 0; {COUNT}", True),
        (f"for (int j = i; j < 256; j += gridDim.x * blockDim.x) out[j] = 0; {COUNT}", True),
        (f"{COUNT} __syncthreads(); if (i < 256) out[i] = 0;", True),
        ("if (i < 256) out[n + i] = 0; atomicAdd(&out[n + (in[i] & 255)], 1);", True),
        (f"if (i < 256) out[i + 256] = 0; {COUNT}", False),  # others
        ("if (i < 256) out[i] = 0; atomicAdd(&out[n + (in[i] & 255)], 1);", False),
        (f"if (i < 256) atomicExch(&out[i], 0); {COUNT}", False),
        ("if (i < 256) out[i] = 0; atomicAdd(&out[in[i]], 1);", False),  # perhaps its own
        ("out[i] = 0; atomicAdd(&out[blockIdx.x * 64 + (in[i] & 63)], 1);", False),
        (f"if (i < 256) out[i] = 0; cooperative_groups::this_grid().sync(); {COUNT}", False),
        (f"if (n) out[t] = 0; else {COUNT}", False),  # two launches
        (f"{COUNT} if (atomicAdd(&out[300], 1) == gridDim.x - 1) out[t] = 0;", False),
        (f"while (atomicAdd(&out[300], 0) == 0) {{}} out[t] = 0; {COUNT}", False),
    ],
)
def test_stores_to_bins(body: str, *, found: bool) -> None:
    assert written(body) == (["*out"] if found else [])


def test_a_block_alone_clears_its_bins() -> None:
    assert written(f"out[t] = 0; __syncthreads(); {COUNT}", (1, 1, 1)) == []
