"""Interleaved trees: the active lanes are those that arithmetic gives, round by round."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.barriers.interleaved_branches import interleaved_branches

_LOOP = """
    __shared__ int s[1024];
    for (int d = 1; d < {threads}; d *= 2) {{
        __syncthreads();
        if ({condition}) s[threadIdx.x] += s[threadIdx.x + d];
    }}
    p[threadIdx.x] = s[threadIdx.x];
"""

_CONDITIONS = {
    "threadIdx.x % (2 * d) == 0": lambda t, d: t % (2 * d) == 0,
    "(threadIdx.x & (2 * d - 1)) == 0": lambda t, d: t % (2 * d) == 0,
    "(threadIdx.x + 1) % (2 * d) == 0": lambda t, d: (t + 1) % (2 * d) == 0,
    "!(threadIdx.x % (2 * d))": lambda t, d: t % (2 * d) == 0,
}


@pytest.mark.parametrize("condition", _CONDITIONS)
@pytest.mark.parametrize("threads", [64, 128, 512])
def test_lanes_and_warps_are_counted_as_arithmetic_counts_them(
    condition: str, threads: int
) -> None:
    facts = body_facts(_LOOP.format(condition=condition, threads=threads), (threads, 1, 1))
    (found,) = interleaved_branches(facts)
    steps = [1 << k for k in range(threads.bit_length() - 1)]
    active = [[t for t in range(threads) if _CONDITIONS[condition](t, d)] for d in steps]
    assert found.lanes == [sum(t < 32 for t in each) for each in active]
    assert found.warps == [len({t // 32 for t in each}) for each in active]
    assert found.needed == [-(-len(each) // 32) for each in active]


@pytest.mark.parametrize(
    "condition",
    [
        "threadIdx.x < d",
        "threadIdx.x % 2 == 0",
        "threadIdx.x / 32 % (2 * d) == 0",
        "(threadIdx.x ^ d) > threadIdx.x",
        "p[threadIdx.x] % (2 * d) == 0",
        "n % (2 * d) == 0",
        "threadIdx.x & d",
    ],
)
def test_other_branches_are_left_alone(condition: str) -> None:
    body = _LOOP.format(condition=condition, threads=128)
    assert not list(interleaved_branches(body_facts(body, (128, 1, 1))))
