"""The accesses of a candidate: all of a stride, the one of a constant."""

from __future__ import annotations

from analyses.kernels import body_facts, facts_of

from warplint.analyzer.analyses.doubts.costs.candidates import ConstantCandidate, StrideCandidate
from warplint.analyzer.analyses.memory_traffic.constant_reads import divergent_reads
from warplint.analyzer.analyses.memory_traffic.symbolic_stride import symbolic_strides
from warplint.analyzer.ir.memory import Space


def test_accesses_with_one_stride() -> None:
    facts = body_facts("p[threadIdx.x * n] = 1; p[threadIdx.x * n + 1] = 2;")
    strides = tuple(symbolic_strides(facts, Space.GLOBAL))
    assert strides
    assert StrideCandidate(facts, strides).accesses == tuple(
        stride.address.access for stride in strides
    )


def test_the_load_of_a_constant() -> None:
    text = "__constant__ int c[64]; __global__ void k(int *p) { p[0] = c[threadIdx.x]; }"
    facts = facts_of(text, (32, 1, 1))
    (read,) = divergent_reads(facts)
    assert ConstantCandidate(facts, read).accesses == (read.access,)
