"""Kernels whose blocks all do the same, but for where they leave what they found."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, ptx_facts

from warplint.analyzer.analyses.inter_block.alike_blocks import are_alike


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p[blockIdx.x] = n;", True),
        ("p[threadIdx.x] = n;", True),
        ("p[blockIdx.x] = blockIdx.x;", False),  # what it stores differs
        ("p[0] = p[blockIdx.x];", False),  # what it reads
        ("if (blockIdx.y == 0) p[0] = n;", False),
        ("for (int i = blockIdx.x; i < n; i++) p[0] = n;", False),
        ("p[atomicAdd(p + 9, 1)] = n;", False),  # takes its work
        ("__shared__ int s[64]; s[blockIdx.x & 63] = n; p[0] = s[3];", False),
        ("int first = blockIdx.z * 64; p[first + threadIdx.x] = n;", True),
    ],
)
def test_whether_anything_but_places_asks_for_the_block(body: str, *, expected: bool) -> None:
    assert are_alike(body_facts(body)) is expected


def test_other_registers_may_tell_blocks_apart() -> None:
    body = "mov.u32 %r3, {}; setp.gt.u32 %p1, %r3, 3; @%p1 bra END; st.global.u32 [%rd1], 1; END:"
    assert are_alike(ptx_facts(body.format("%tid.y")))
    assert not are_alike(ptx_facts(body.format("%smid")))
