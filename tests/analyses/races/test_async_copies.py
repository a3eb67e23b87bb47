"""Reads of shared memory that an asynchronous copy may not have filled yet."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

COPY = "__pipeline_memcpy_async(&s[t], &in[t], 4);"
COMMIT, WAIT = "__pipeline_commit();", "__pipeline_wait_prior({});"


def unwaited(body: str) -> int:
    text = f"""#include <cuda_pipeline.h>
    template <int D> __device__ int twice(int x) {{ return x * D; }}
    __global__ void k(const int *in, int *out, int n) {{
        __shared__ int s[256]; int t = threadIdx.x; {body} }}"""
    return len(facts_of(text, (64, 1, 1)).unwaited_copies)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (f"{COPY} {COMMIT} out[t] = s[t];", 1),
        (f"{COPY} {COMMIT} {WAIT.format(0)} out[t] = s[t];", 0),
        (f"{COPY} {COMMIT} {WAIT.format(1)} out[t] = s[t];", 1),
        (f"{COPY} {COMMIT} {COMMIT} {WAIT.format(1)} out[t] = s[t];", 0),
        (f"{COPY} {WAIT.format(0)} out[t] = s[t];", 1),  # no group was committed
        (f"{COPY} {COMMIT} out[t] = s[t + 64];", 0),  # elsewhere
        (f"out[t] = s[t]; {COPY} {COMMIT}", 0),  # before it
        (f"{COPY} {COMMIT} if (n > 3) out[t] = s[t];", 1),
        (f"{COPY} {COMMIT} __syncthreads(); out[t] = s[t];", 1),  # no barrier waits for it
        ("s[t] = in[t]; out[t] = s[t];", 0),
    ],
)
def test_pairs_of_a_copy_and_a_read(body: str, count: int) -> None:
    assert unwaited(body) == count


def test_what_a_size_decides_about_is_told_once() -> None:
    at_n = f"{COPY} {COMMIT} if (t < n) out[t] = s[(t + n) % 128];"
    assert unwaited(at_n) == 1
    assert unwaited(f"{COPY} {COMMIT} out[t] = s[(t + n) & 127];") == 1
