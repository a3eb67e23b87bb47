"""Loads of a loop that a store of the iteration before holds up, and what keeps them in place."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.memory_traffic.held_up_loads import HeldUpLoads, held_up_loads

OPEN = "const float *a, float *o, int n"
OVER_BLOCK = "for (int i = threadIdx.x; i < n; i += blockDim.x)"
OVER_GRID = (
    "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"
)


def found(body: str, parameters: str = OPEN, launch: str = "") -> list[HeldUpLoads]:
    host = f"void run(float *a, int n) {{ kernel<<<{launch}>>>(a, a + 9, n); }}" if launch else ""
    text = f"__global__ void kernel({parameters}) {{ {body} }} {host}"
    return list(held_up_loads(facts_of(text, None if launch else (256, 1, 1))))


@pytest.mark.parametrize(
    ("body", "parameters", "loads"),
    [
        (f"{OVER_BLOCK} o[i] = a[i];", OPEN, 1),
        (f"{OVER_BLOCK} o[i] = a[i] + a[i + n];", OPEN, 2),
        (f"{OVER_BLOCK} if (a[i] > 0) o[i] = 1;", OPEN, 1),
        ("for (int k = 0; k < 8; ++k) o[k * n + threadIdx.x] = a[k * n + threadIdx.x];", OPEN, 1),
        (f"{OVER_BLOCK} o[i] = a[x[i]];", f"{OPEN}, const int *x", 2),
    ],
)
def test_loads_that_wait(body: str, parameters: str, loads: int) -> None:
    (held_up,) = found(body, parameters)
    assert len(held_up.loads) == loads


@pytest.mark.parametrize(
    ("body", "parameters"),
    [
        (f"{OVER_BLOCK} o[i] = a[i];", "const float *__restrict__ a, float *o, int n"),
        (f"{OVER_BLOCK} o[i] = a[i];", "const float *a, float *__restrict__ o, int n"),
        (f"{OVER_BLOCK} o[i] = __ldg(a + i);", OPEN),
        (f"{OVER_BLOCK} o[i] = __ldcs(a + i);", OPEN),
        (f"{OVER_BLOCK} o[i] += a[i];", OPEN),
        (f"{OVER_BLOCK} {{ o[i] = a[i]; __syncthreads(); }}", OPEN),
        (f"{OVER_BLOCK} {{ if (i > 9) o[i] = a[i]; }}", OPEN),
        (f"{OVER_BLOCK} o[threadIdx.x] = a[i];", OPEN),
        ("for (int k = 0; k < n; ++k) o[k * 256 + threadIdx.x] = a[k];", OPEN),
        ("for (int i = threadIdx.x; a[i] > 0; i += 256) o[i] = a[i];", OPEN),
        ("for (int k = 0; k < 1; ++k) o[k + threadIdx.x] = a[k + threadIdx.x];", OPEN),
        (f"{OVER_GRID} o[i] = a[i];", OPEN),
        ("o[threadIdx.x] = a[threadIdx.x];", OPEN),
    ],
)
def test_loads_that_do_not(body: str, parameters: str) -> None:
    assert found(body, parameters) == []


@pytest.mark.parametrize(("launch", "number"), [("132, 256", 1), ("(n + 255) / 256, 256", 0)])
def test_the_grid_decides_how_often_its_loop_runs(launch: str, number: int) -> None:
    assert len(found(f"{OVER_GRID} o[i] = a[i];", launch=launch)) == number
