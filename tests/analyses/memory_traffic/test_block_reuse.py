"""Who uses which elements: factors of products of matrices, and arrays that nobody shares."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of
from founding_kernels import NAIVE

from warplint.analyzer.analyses.memory_traffic.block_reuse import (
    LoopTraffic,
    loop_traffic,
    own_elements,
)
from warplint.analyzer.analyses.pointers.work import hot_loop


def traffic(text: str, block: tuple[int, int, int]) -> LoopTraffic | None:
    """The hot loop of the only kernel of a text."""
    facts = facts_of(text, block)
    found = hot_loop(facts)
    assert found is not None
    _, loop = found
    assert loop is not None
    return loop_traffic(facts.launches[0], loop)


@pytest.mark.parametrize(("x", "y"), [(2, 2), (16, 16), (32, 8)])
def test_each_factor_of_a_product_is_loaded_by_a_row_or_a_column_of_threads(x: int, y: int) -> None:
    found = traffic(NAIVE, (x, y, 1))
    assert found is not None
    assert {each.item.name: each.factor for each in found.sharings} == {"*Md": x, "*Nd": y}
    assert found.now / found.staged == pytest.approx(2 / (1 / x + 1 / y))


def test_two_tiles_are_one_on_the_diagonal_only() -> None:
    text = """\
__global__ void k(const float *x, float *d, int n, int m)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < m; ++k) sum += x[i * m + k] * x[j * m + k];
    d[i * n + j] = sum;
}
"""
    found = traffic(text, (16, 16, 1))
    assert found is not None
    (sharing,) = found.sharings
    assert (sharing.factor, sharing.even) == (16, True)


def test_a_window_shares_its_edges_less() -> None:
    text = """\
__global__ void k(const float *x, float *d)
{
    float sum = 0;
    for (int k = 0; k < 3; ++k) sum += x[threadIdx.x + k];
    d[threadIdx.x] = sum;
}
"""
    found = traffic(text, (64, 1, 1))
    assert found is not None
    (sharing,) = found.sharings
    assert (sharing.uses, sharing.elements, sharing.even) == (192, 66, False)


def test_what_a_thread_loads_twice_is_not_shared() -> None:
    text = """\
__global__ void k(const float *a, float *b, int n)
{
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[k * blockDim.x + threadIdx.x] * a[k * blockDim.x + threadIdx.x];
    b[threadIdx.x] = sum;
}
"""
    found = traffic(text, (64, 1, 1))
    assert found is not None
    (sharing,) = found.sharings
    assert (sharing.factor, sharing.uniform) == (1, False)


def test_what_the_kernel_writes_too_cannot_be_staged() -> None:
    text = """\
__global__ void k(float *a, int n)
{
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[k] * 2;
    a[threadIdx.x] = sum;
}
"""
    found = traffic(text, (64, 1, 1))
    assert found is not None
    assert found.sharings == ()
    assert found.now == found.staged


def test_places_that_hang_on_data_are_not_known() -> None:
    text = """\
__global__ void k(const float *a, const int *at, float *b, int n)
{
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[at[k * 64 + threadIdx.x]] * 2;
    b[threadIdx.x] = sum;
}
"""
    assert traffic(text, (64, 1, 1)) is None


def staged(body: str) -> list[str]:
    """The shared arrays of which each thread uses its own element alone."""
    facts = body_facts(f"__shared__ int s[64]; int t = threadIdx.x;\n{body}")
    return [own.item.name for own in own_elements(facts.launches[0])]


def test_a_copy_that_nobody_else_reads() -> None:
    assert staged("s[t] = p[t]; __syncthreads(); p[t] = s[t];") == ["s"]


@pytest.mark.parametrize(
    ("index", "found"),
    [
        ("blockIdx.x * 64 + t", []),  # of the others, what nobody stored
        ("(blockIdx.x * 64 + t) % 64", ["s"]),
        ("(blockIdx.x * 63 + t) % 64", []),
        ("t ^ blockIdx.y", []),
    ],
)
def test_what_is_said_of_all_blocks(index: str, found: list[str]) -> None:
    assert staged(f"s[t] = p[t]; __syncthreads(); p[t] = s[{index}];") == found


@pytest.mark.parametrize(
    "body",
    [
        "s[t] = p[t]; p[t] = s[t];",  # without a barrier nobody meant to share
        "s[t] = p[t]; __syncthreads(); p[t] = s[t ^ 1];",  # the neighbour's
        "s[t] = p[t]; __syncthreads(); p[t] = s[t] + s[0];",  # the first thread's, too
        "s[t] = p[t] + 1; __syncthreads(); p[t] = s[t];",  # computed
        "s[t] = p[t]; __syncthreads(); p[t] = s[p[n] & 63];",  # at a place that data gives
        "if (t < 32) s[t] = p[t]; __syncthreads(); p[t] = s[t];",  # of others, never stored
        "s[t] = p[t]; __syncthreads(); atomicAdd(&s[t], 1); p[t] = s[t];",
        "s[t] = p[t]; __syncthreads(); if (n > 5) p[t] = s[63 - t]; else p[t] = s[t];",
    ],
)
def test_arrays_that_serve_more_than_their_own_thread(body: str) -> None:
    assert staged(body) == []
