"""Loads that may not be moved across the store of the iteration before."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.memory_traffic.held_up_loads import HeldUpLoads, held_up_loads

WALK = "for (int i = t; i < n; i += 256)"
GRID = "for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)"


def held_up(
    body: str, parameters: str = "float *o, const float *a, const int *x", launch: str = ""
) -> list[HeldUpLoads]:
    text = f"""__global__ void k({parameters}, int n, int m) {{
        __shared__ float s[256]; int t = threadIdx.x; {body} }}
    {launch}"""
    return list(held_up_loads(facts_of(text, None if launch else (256, 1, 1))))


@pytest.mark.parametrize(
    ("body", "loads"),
    [
        (f"{WALK} o[i] = a[x[i]];", ["a[x[i]]", "x[i]"]),
        (f"{WALK} o[i] = a[i] + 1;", ["a[i]"]),
        (f"{WALK} {{ o[i] = a[i]; if (i > m) o[i] = x[i]; }}", ["a[i]"]),  # not in each iteration
        (f"{WALK} o[i] = a[i] + a[m];", ["a[i]"]),  # one place in all iterations
        (f"{WALK} o[i] = a[i] + s[i & 255];", ["a[i]"]),
        (f"{WALK} o[i] = a[i] + __ldg(x + i);", ["a[i]"]),  # which the compiler may move
    ],
)
def test_loads_and_the_store(body: str, loads: list[str]) -> None:
    (found,) = held_up(body)
    assert sorted(each.name for each in found.loads) == loads
    assert found.store.name == "o[i]"
    assert found.store.block in found.loop.blocks


@pytest.mark.parametrize(
    "body",
    [
        "o[t] = a[x[t]];",  # no loop
        "for (int i = 0; i < 1; i++) o[t + i] = a[t + i];",  # of one iteration
        f"{WALK} o[i] += a[i];",  # reads what it stores
        f"{WALK} {{ o[i] = a[i]; o[i + m] = o[i] * 2; }}",
        f"{WALK} o[t] = a[i];",  # stores to one place
        f"{WALK} o[i] = a[i / 256];",  # one load for a whole warp
        f"{WALK} s[i & 255] = a[i];",  # which no pointer leads to
        f"{WALK} {{ o[i] = a[i]; __syncthreads(); }}",
        f"{WALK} {{ o[i] = a[i]; __threadfence(); }}",
        f"{WALK} {{ o[i] = a[i]; other(n); }}",
        f"{WALK} o[i] = __shfl_xor_sync(~0u, a[i], 1);",
        f"{WALK} atomicAdd(&o[i], a[i]);",
        f"{WALK} {{ o[i] = a[i]; atomicAdd(&o[m], 1); }}",
        f"{WALK} if (i > m) o[i] = a[i];",  # a condition around the load
        "for (int i = t; x[i] > 0; i += 256) o[i] = a[i];",  # left by data
        f"{WALK} for (int j = 0; j < m; j++) other(o[i]);",
        "for (int i = t; i < n; i = x[i]) o[i] = a[i];",
        f"if (n > m) o = (float *)a; {WALK} o[i] = a[i];",  # a pointer that may be either
        f"{WALK} o[i] = ((const volatile float *)a)[i];",
        f"{WALK} {{ {'o[i] = a[i];' * 60} }}",  # too long to be unrolled
    ],
)
def test_what_nothing_is_gained_for(body: str) -> None:
    assert held_up(body) == []


@pytest.mark.parametrize(
    ("parameters", "loads"),
    [
        ("float *o, const float *a, const int *x", 2),
        ("float *__restrict__ o, const float *a, const int *x", 0),
        ("float *o, const float *__restrict__ a, const int *__restrict__ x", 0),
        ("float *o, const float *__restrict__ a, const int *x", 1),
        ("volatile float *o, const float *a, const int *x", 0),
    ],
)
def test_what_is_declared(parameters: str, loads: int) -> None:
    found = held_up(f"{WALK} o[i] = a[x[i]];", parameters)
    assert sum(len(each.loads) for each in found) == loads


def test_inner_loops_alone() -> None:
    body = "for (int j = 0; j < m; j++) for (int i = t; i < n; i += 256) o[j * n + i] = a[i];"
    (found,) = held_up(body)
    assert found.loop.parent is not None
    twice = held_up(f"{WALK} o[i] = a[i]; {WALK} o[i + n] = a[i];")
    assert len({each.loop.header for each in twice}) == 2


@pytest.mark.parametrize(
    ("launch", "count"),
    [
        ("", 0),  # nothing is known of the grid
        ("void f(float *o, float *a, int *x) { k<<<4, 256>>>(o, a, x, 1 << 20, 1); }", 1),
        ("void f(float *o, float *a, int *x) { k<<<4, 256>>>(o, a, x, 1024, 1); }", 0),
        ("void f(float *o, float *a, int *x) { k<<<4, 256>>>(o, a, x, 1025, 1); }", 1),
        ("void f(float *o, float *a, int *x, int n) { k<<<4, 256>>>(o, a, x, n, 1); }", 1),
        (
            "void f(float *o, float *a, int *x, int n)"
            "{ k<<<(n + 255) / 256, 256>>>(o, a, x, n, 1); }",
            0,  # a thread for each element
        ),
    ],
)
def test_grids_that_are_smaller_than_what_they_go_over(launch: str, count: int) -> None:
    assert len(held_up(f"{GRID} o[i] = a[i];", launch=launch)) == count
