"""Stores that stay in a loop, as nvcc 13.0 left them there (sm_90, `-ptx`), and those it moved."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.memory_traffic.loop_stores import loop_stores, loops_left

#: Parameters, what stands before the kernel, the loop's body, whether `st.global` is in the loop.
MEASURED = [
    ("float *c, const float *b, int n", "", "c[i] += b[k * 32 + i];", True),
    ("float *c, const int *b, int n", "", "c[i] += b[k * 32 + i];", True),
    ("float *c, const double *b, int n", "", "c[i] += (float)b[k * 32 + i];", True),
    ("float *c, const char *b, int n", "", "c[i] += (float)b[k * 32 + i];", True),
    ("float *c, float *b, int n", "", "s += b[k * 32 + i]; c[i] = s;", True),
    ("float *c, const float *b, int n", "", "c[i] += __ldg(b + k * 32 + i);", True),
    ("float *c, int n", "__device__ float g[4096];", "c[i] += g[k * 32 + i];", True),
    ("float *__restrict__ c, const float *b, int n", "", "c[i] += b[k * 32 + i];", False),
    ("float *c, const float *__restrict__ b, int n", "", "c[i] += b[k * 32 + i];", False),
    ("float *c, int n", "__constant__ float g[1024];", "c[i] += g[k];", False),
    ("float *c, int n", "", "c[i] += tile[k * 32 + i];", False),
]


@pytest.mark.parametrize(("parameters", "before", "body", "stays"), MEASURED)
def test_the_compiler_agrees(parameters: str, before: str, body: str, stays: bool) -> None:
    text = f"""{before}
    __global__ void kernel({parameters}) {{
        __shared__ float tile[1024];
        tile[threadIdx.x] = 1.0f;
        __syncthreads();
        float s = 0.0f;
        int i = threadIdx.x;
        for (int k = 0; k < n; k++) {{ {body} }}
        c[i + 64] = tile[0] + s;
    }}"""
    found = list(loop_stores(facts_of(text, (32, 1, 1))))
    assert len(found) == stays


@pytest.mark.parametrize(
    ("parameters", "body", "moved"),
    [  # as nvcc 13.0 has them
        ("float4 *c, int n", "c[i].x += tile[k]; c[i].y += tile[k + 1];", "LSLS"),
        ("float *c, const float *b, int n", "tile[k * 32 + i] = b[i];", "L"),
        ("float *c, float *b, int n", "b[k * 32 + i] = c[i];", ""),
        ("float *c, float *b, int n", "c[i] += b[k * 32 + i];", "L"),  # the store stays
        ("float *c, int n", "c[i] += c[i + k];", "L"),
        ("float *c, int n", "if (k > 3) c[i] += tile[k];", ""),
        ("float *c, int n", "c[i] += tile[k]; __syncthreads();", ""),
        ("float *c, int n", "atomicAdd(&c[i], tile[k]);", ""),
    ],
)
def test_what_is_moved_out_of_the_loop(parameters: str, body: str, moved: str) -> None:
    text = f"""__global__ void kernel({parameters}) {{
        __shared__ float tile[1024];
        int i = threadIdx.x;
        for (int k = 0; k < n; k++) {{ {body} }}
        c[0] = c[1];
    }}"""
    facts = facts_of(text, (32, 1, 1))
    left = [access for access in facts.accesses if list(loops_left(facts, access))]
    assert "".join(access.kind.name[0] for access in left) == moved


def test_only_the_first_store_of_a_loop_is_told() -> None:
    text = """
    __global__ void kernel(float *c, const float *b, int n) {
        for (int k = 0; k < n; k++) { c[threadIdx.x] += b[k]; c[threadIdx.x] += b[k + 1]; }
    }"""
    (found,) = loop_stores(facts_of(text, (32, 1, 1)))
    assert found.load is not None
    assert len(found.others) == 2


def test_other_elements_of_the_array_keep_it_in_memory_for_a_reason() -> None:
    text = """
    __global__ void kernel(float *c, const float *b, int n) {
        for (int k = 0; k < n; k++) c[threadIdx.x] += c[k] * b[k];
    }"""
    assert not list(loop_stores(facts_of(text, (32, 1, 1))))


def test_one_address_for_all_threads_is_a_kernel_of_one_thread() -> None:
    text = """
    __global__ void kernel(float *c, const float *b, int n) {
        for (int k = 0; k < n; k++) c[0] += b[k];
    }"""
    assert not list(loop_stores(facts_of(text, (32, 1, 1))))
