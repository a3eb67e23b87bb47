"""Loads of a loop that wait for the store of the iteration before."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.memory_traffic.held_up_loads import held_up_loads

LOOP = "for (int i = threadIdx.x; i < n; i += 256)"
GRID_LOOP = (
    "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"
)
USUAL = "float *o, const float *a, const int *x, int n"


def held_up(
    body: str, parameters: str = USUAL, grid: tuple[int, int, int] | None = None
) -> list[tuple[list[str], str]]:
    facts = facts_of(f"__global__ void k({parameters}) {{\n{body}\n}}", (256, 1, 1), grid)
    return [
        ([each.name for each in found.loads], found.store.name) for found in held_up_loads(facts)
    ]


def test_each_load_of_what_the_kernel_never_writes() -> None:
    assert held_up(f"{LOOP} o[i] = a[x[i]];") == [(["x[i]", "a[x[i]]"], "o[i]")]


def test_the_first_store_is_named() -> None:
    found = held_up(f"{LOOP} {{ o[i] = a[i]; y[i] = 1; }}", "float *o, float *y, float *a, int n")
    assert found == [(["a[i]"], "o[i]")]


def test_each_loop() -> None:
    body = f"{LOOP} o[i] = a[i];\n{LOOP} o[i] = x[i];"
    assert sorted(held_up(body)) == [(["a[i]"], "o[i]"), (["x[i]"], "o[i]")]


@pytest.mark.parametrize(
    ("parameters", "found"),
    [
        ("float *o, const float *a, int n", True),
        ("float *o, float *a, int n", True),
        ("float *__restrict__ o, const float *a, int n", False),
        ("float *o, const float *__restrict__ a, int n", False),
    ],
)
def test_one_promise_is_enough(parameters: str, found: bool) -> None:
    assert bool(held_up(f"{LOOP} o[i] = a[i];", parameters)) is found


@pytest.mark.parametrize(
    "body",
    [
        "o[i] = __ldg(a + i);",
        "o[i] = a[i]; __syncthreads();",
        "o[i] = a[i]; __threadfence();",
        "o[i] = __shfl_xor_sync(~0u, a[i], 1);",
        "atomicAdd(o + i, a[i]);",
        "o[i] = a[i]; atomicAdd(o + i, 1.f);",
        "o[0] = a[i];",
        "o[i] += a[i];",  # the load of `o` keeps the order
        "o[i] = a[i]; o[i + 1] = o[i];",
        "o[i] = a[i / 256];",  # one element for a warp
        "o[i] = a[threadIdx.x];",  # the same in each iteration
        "if (i % 3) o[i] = a[i];",
        "o[i] = *(volatile const float *)(a + i);",
        "o[i] = 1;",
        "float v = a[i];",
        "o[i] = a[i]; if (x[i]) break;",
    ],
)
def test_what_waits_anyway(body: str) -> None:
    assert held_up(f"{LOOP} {{ {body} }}") == []


def test_a_store_under_a_condition_holds_the_next_load_up() -> None:
    assert held_up(f"{LOOP} {{ float v = a[i]; if (v > 0) o[i] = v; }}") == [(["a[i]"], "o[i]")]


def test_only_what_the_compiler_unrolls() -> None:
    def body(terms: int) -> str:
        return f"{LOOP} o[i] = a[i]" + "".join(f" * (n + {k}.5f)" for k in range(terms)) + ";"

    assert held_up(body(10))
    assert held_up(body(60)) == []


@pytest.mark.parametrize(
    ("loop", "found"),
    [
        ("for (int i = threadIdx.x; i < 512; i += 256)", True),
        ("for (int k = 0; k < 8; k++) { int i = threadIdx.x + 256 * k;", True),
        ("for (int k = 0; k < 1; k++) { int i = threadIdx.x + 256 * k;", False),
        ("for (int j = 0; j < n; j++) for (int i = threadIdx.x; i < n; i += 256)", True),
    ],
)
def test_iterations(loop: str, found: bool) -> None:
    end = "}" if "{" in loop else ""
    assert bool(held_up(f"{loop} o[i] = a[i]; {end}")) is found


def test_shared_memory_is_another_place() -> None:
    body = f"__shared__ float s[512]; {LOOP} {{ s[i & 511] = a[i]; }} __syncthreads(); *o = s[n];"
    assert held_up(body) == []
    body = (
        f"__shared__ float s[512]; s[threadIdx.x] = n; __syncthreads(); {LOOP} o[i] = s[i & 511];"
    )
    assert held_up(body) == []


def test_a_grid_that_covers_all_makes_one_iteration() -> None:
    text = f"{GRID_LOOP} o[i] = a[i];"
    assert held_up(text) == []
    assert held_up(text, grid=(4, 1, 1))
    small = text.replace("i < n", "i < 1024")
    assert held_up(small, grid=(4, 1, 1)) == []
    assert held_up(small, grid=(3, 1, 1))
