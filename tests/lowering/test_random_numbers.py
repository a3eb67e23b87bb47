"""cuRAND's device functions: what is drawn, and what happens to the state."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.ir.operations import AccessKind, Call


@pytest.mark.parametrize(
    ("state", "call", "kinds"),
    [
        ("curandState", "curand_uniform(s)", [AccessKind.LOAD, AccessKind.STORE]),
        ("curandStateMRG32k3a", "curand_normal2_double(s).x", [AccessKind.LOAD, AccessKind.STORE]),
        ("curandStatePhilox4_32_10_t", "curand4(s).w", [AccessKind.LOAD, AccessKind.STORE]),
        ("curandStateMtgp32_t", "curand(s)", [AccessKind.ATOMIC]),
    ],
)  # fmt: skip
def test_a_number_is_taken_out(state: str, call: str, kinds: list[AccessKind]) -> None:
    text = f"__global__ void k({state} *s, double *out) {{ out[threadIdx.x] = {call}; }}"
    facts = facts_of(text, (64, 1, 1))
    *drawn, stored = facts.accesses
    assert [each.kind for each in drawn] == kinds
    assert stored.kind is AccessKind.STORE
    assert not any(isinstance(each, Call) for each in facts.kernel.operations())


def test_states_of_other_types_are_left_to_whoever_declares_them() -> None:
    text = "template <class S> __global__ void k(S *s, float *o) { o[0] = curand_uniform(s); }"
    facts = facts_of(text, (64, 1, 1))
    assert [op.callee for op in facts.kernel.operations() if isinstance(op, Call)] == [
        "curand_uniform"
    ]
