"""Kernels whose warps leave something for each other in shared memory."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, ptx_facts

from warplint.analyzer.analyses.block_shape.several_warps import is_for_several_warps

HEAD = "__shared__ int s[32]; __shared__ int other[32]; int t = threadIdx.x; "
PARAMETERS = "int *p, const int *q, int n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("s[t / 32] = n; __syncthreads(); p[t] = s[0];", True),
        ("s[t >> 5] = n; __syncthreads(); p[t] = s[0];", True),
        ("s[(t + 32) / 32 * 2] = n; __syncthreads(); p[t] = s[t & 31];", True),
        ("s[q[t / 32]] = n; __syncthreads(); p[t] = s[0];", True),
        ("p[t] = s[t / 32]; __syncthreads();", True),
        # Without a barrier somebody has to read elsewhere what the warps have left.
        ("s[t / 32] = n; p[t] = s[0];", True),
        ("s[t / 32] = n; p[t] = s[t / 32];", False),  # a warp its own
        ("s[t / 32] = n; p[t] = other[0];", False),
        ("s[t / 32] = n; s[0] = 1;", False),  # nobody reads
        ("p[t] = s[t / 32] + s[0];", False),  # nobody writes
        ("s[t / 32] = n; __syncwarp(); p[t] = s[t / 32];", False),
        # Other numbers than that of the warp.
        ("s[t] = n; __syncthreads(); p[t] = s[0];", False),
        ("s[t / 16] = n; __syncthreads(); p[t] = s[0];", False),
        ("s[t >> 4] = n; __syncthreads(); p[t] = s[0];", False),
        ("s[t % 32] = n; __syncthreads(); p[t] = s[0];", False),
        ("s[t << 5] = n; __syncthreads(); p[t] = s[0];", False),
        ("s[n / 32] = n; __syncthreads(); p[t] = s[0];", False),
        ("s[threadIdx.y / 32] = n; __syncthreads(); p[t] = s[0];", False),
        ("s[blockIdx.x / 32] = n; __syncthreads(); p[t] = s[0];", False),
        ("s[t / n] = n; __syncthreads(); p[t] = s[0];", False),  # a number that nobody knows
        ("p[t] = t / 32; s[p[t]] = n; __syncthreads(); p[t] = s[0];", False),  # through memory
        # Shared memory alone.
        ("p[t / 32] = n; __syncthreads(); p[t] = s[0];", False),
        ("s[0] = t / 32; __syncthreads(); p[t] = s[0];", False),  # stored, not where
    ],
)
def test_places_of_warps(body: str, *, expected: bool) -> None:
    assert is_for_several_warps(body_facts(HEAD + body, parameters=PARAMETERS)) is expected


@pytest.mark.parametrize(("register", "expected"), [("%warpid", True), ("%laneid", False)])
def test_the_register_that_holds_the_number(register: str, *, expected: bool) -> None:
    facts = ptx_facts(f"""mov.u32 %r3, {register}; mul.lo.u32 %r4, %r3, 4;
        mov.u32 %r5, tile; add.u32 %r5, %r5, %r4; st.shared.u32 [%r5], %r1; bar.sync 0;""")
    assert is_for_several_warps(facts) is expected
