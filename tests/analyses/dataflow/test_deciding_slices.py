"""What decides about values beside what they are computed from."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.dataflow.deciding_slices import deciding_slice
from warplint.analyzer.analyses.dataflow.slices import registers_in
from warplint.analyzer.ir.values import Special, SpecialRegister

T, B = Special.THREAD_X, Special.BLOCK_X


@pytest.mark.parametrize(
    ("body", "made", "deciding"),
    [
        ("p[threadIdx.x] = 1;", {T}, {T}),
        ("int at = 0; if (blockIdx.x > 0) at = threadIdx.x; p[at] = 1;", {T}, {T, B}),
        ("int at = 0; if (blockIdx.x > 0) at = n; p[at + threadIdx.x] = 1;", {T}, {T, B}),
        ("int at = n; if (blockIdx.x > 0) p[at] = 1;", set(), set()),  # only whether
        ("int at = n; if (blockIdx.x > 0) { if (threadIdx.x > 0) at = 1; p[at] = 1; }", set(), {T}),
        ("for (int i = blockIdx.x; i < n; i++) p[i] = 1;", {B}, {B}),
    ],
)
def test_what_picks_the_operand_of_a_phi(
    body: str, made: set[Special], deciding: set[Special]
) -> None:
    facts = body_facts(body)
    (store,) = facts.accesses
    found = list(deciding_slice(facts.flow, store.address))
    assert found[0] is store.address
    assert len(found) == len(set(found))
    assert registers_in(store.address) == made
    assert {each.register for each in found if isinstance(each, SpecialRegister)} == deciding
