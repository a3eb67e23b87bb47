"""Atomics on one address: which of them nvcc 13.0 reduces over the warp (SASS of sm_80, sm_90)."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.memory_traffic.contended_atomics import contended_atomics

#: Element type, statement, whether each lane's atomic is in the SASS (no VOTE, REDUX or SHFL).
MEASURED = [
    ("int", "atomicAdd(p, 1);", False),
    ("int", "atomicAdd(p, x[threadIdx.x]);", False),
    ("int", "x[threadIdx.x] = atomicAdd(p, 1);", False),
    ("int", "x[threadIdx.x] = atomicAdd(p, x[threadIdx.x]);", False),
    ("int", "atomicMax(p, x[threadIdx.x]);", False),
    ("int", "atomicOr(p, x[threadIdx.x]);", False),
    ("int", "atomicAdd(p + blockIdx.x, x[threadIdx.x]);", False),
    ("float", "atomicAdd(p, x[threadIdx.x]);", True),
    ("float", "atomicAdd(p + blockIdx.x, x[threadIdx.x]);", True),
    ("double", "atomicAdd(p, x[threadIdx.x]);", True),
    ("unsigned long long", "atomicAdd(p, x[threadIdx.x]);", True),
    ("unsigned", "atomicInc(p, 7);", True),
]


@pytest.mark.parametrize(("type", "statement", "stays"), MEASURED)
def test_the_compiler_agrees(type: str, statement: str, stays: bool) -> None:
    text = f"__global__ void kernel({type} *p, {type} *x) {{ {statement} }}"
    assert len(list(contended_atomics(facts_of(text, (64, 1, 1))))) == stays


@pytest.mark.parametrize(
    ("guard", "stays"),
    [
        ("threadIdx.x < 16", True),
        ("threadIdx.x == 0", False),
        ("blockIdx.x * 64 + threadIdx.x < n", True),
        ("threadIdx.x == 0 && n > 3", False),
        ("threadIdx.x == n", False),
        ("x[threadIdx.x] > 0.0f", False),
        ("n > 3", True),
    ],
)
def test_a_guard_may_leave_one_thread_or_nobody_knows_how_many(guard: str, stays: bool) -> None:
    text = f"""__global__ void kernel(float *p, float *x, int n) {{
        if ({guard}) atomicAdd(p, 1.0f);
    }}"""
    assert len(list(contended_atomics(facts_of(text, (64, 1, 1))))) == stays
