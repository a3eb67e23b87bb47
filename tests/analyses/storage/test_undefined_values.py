"""Undefined elements that something is made of, and those of which nobody takes anything."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.storage.unwritten_parts import unwritten_parts

KERNEL = """
__global__ void k(const float *in, float *out, int *bins) {{
    __shared__ float s[64 + 16];
    __shared__ float other[64];
    int t = threadIdx.x;
    s[t] = in[t]; other[t] = 0;
    __syncthreads();
    float next = s[t + 16];
    __syncthreads();
    {body}
}}
void h(const float *in, float *out, int *bins) {{ k<<<1, 64>>>(in, out, bins); }}
"""


@pytest.mark.parametrize(
    ("body", "used"),
    [
        ("s[t] += next;", False),
        ("s[t] += next; __syncthreads(); if (t % 32 == 0) out[t] = s[t];", False),
        ("s[t] += next; __syncthreads(); if (t % 32 == 0) out[t] = s[t + 8];", False),
        ("s[t] += next; __syncthreads(); s[t] = 0; __syncthreads(); out[t] = s[t];", False),
        ("s[t] += next; __syncthreads(); if (t % 32 == 31) out[t] = s[t];", True),
        ("s[t] += next; __syncthreads(); if (t % 32 == 16) out[t] = s[t + 8];", True),
        ("out[t] = next;", True),
        ("if (t < 48) out[t] = next;", False),
        ("if (next > 0) out[t] = 1;", True),
        ("out[(int)next] = 1;", True),
        ("other[t] = next; __syncthreads(); if (t == 0) out[t] = other[t];", True),
        ("atomicAdd(bins + t, (int)next);", True),
        ("out[t] = __shfl_down_sync(~0u, next, 1);", True),
    ],
)
def test_what_is_made_of_an_undefined_element(body: str, used: bool) -> None:
    facts = facts_of(KERNEL.format(body=body))
    assert [part.item.name for part in unwritten_parts(facts)] == ["s"] * used
