"""Values that go through memory, for each reader the writers of what it may read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyses.kernels import facts_of

from warplint.analyzer.analyses.pointers.memory_flow import memory_flow

if TYPE_CHECKING:
    from warplint.analyzer.ir.operations import MemoryAccess

KERNEL = """
__global__ void k(float *out, const float *in) {
    __shared__ float tile[32], other[32];
    tile[threadIdx.x] = in[threadIdx.x];
    other[threadIdx.x] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = tile[31 - threadIdx.x];
    atomicAdd(&out[0], other[0]);
}
"""


def test_a_load_gets_what_was_stored_in_its_array() -> None:
    facts = facts_of(KERNEL, (32, 1, 1))
    found = {
        (_line(flow.writer), _line(flow.reader), flow.item.name if flow.item else "")
        for flow in memory_flow(facts)
    }
    assert (4, 7, "tile") in found
    assert (5, 8, "other") in found
    assert not {(4, 8, "other"), (5, 7, "tile"), (4, 4, "*in")} & found


def _line(access: MemoryAccess) -> int:
    return access.location.span.line


def test_no_access_flows_into_itself() -> None:
    facts = facts_of("__global__ void k(int *p) { atomicAdd(p, 1); }", (32, 1, 1))
    assert list(memory_flow(facts)) == []
